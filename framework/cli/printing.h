// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dflash {

/// A reader that goes away (`... | head -3`), or a limit on the size of files, must not kill a run: from now on a write
/// that the system refuses fails with an error code instead of a signal. For the whole process.
void ignore_write_signals();

/// Writes and flushes. A stream that has refused once is written to no more. Never throws. For what may be lost, such
/// as progress.
void write_text(std::FILE* stream, std::string_view text) noexcept;

/// Writes a command's result to standard output; see `output_error`.
void write_result(std::string_view text) noexcept;

/// Writes a command's result to the file of its --output: to a regular one whole or not at all. Throws UserError.
void write_output(const std::filesystem::path& file, std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  write_result(fmt::format(format, std::forward<Args>(args)...));
}

/// To standard error.
template <class... Args>
void print_error(fmt::format_string<Args...> format, Args&&... args) {
  write_text(stderr, fmt::format(format, std::forward<Args>(args)...));
}

/// Why standard output has not taken a result, or 0. A reader that has gone away had enough, which is no error.
[[nodiscard]] int output_error();

}  // namespace dflash
