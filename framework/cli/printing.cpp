// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/printing.h"

#include <atomic>
#include <cerrno>
#include <csignal>

#include "framework/checkpoint/durable_file.h"

namespace dflash {
namespace {

struct OutputState {
  std::atomic<int> first_error{0};  // of standard output; a stream itself keeps only that there was one
  std::atomic<bool> lost_a_result{false};
};

OutputState& output_state() {
  static OutputState state;
  return state;
}

bool try_write(std::FILE* stream, std::string_view text) noexcept {
  if (std::ferror(stream) != 0) {
    return false;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (!written && stream == stdout) {
    output_state().first_error = errno;
  }
  return written;
}

}  // namespace

void ignore_write_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    std::signal(signal, SIG_IGN);
  }
}

void write_text(std::FILE* stream, std::string_view text) noexcept { (void)try_write(stream, text); }

void write_result(std::string_view text) noexcept {
  if (!try_write(stdout, text)) {
    output_state().lost_a_result = true;
  }
}

void write_output(const std::filesystem::path& file, std::string_view text) {
  const bool is_other = std::filesystem::exists(file) && !std::filesystem::is_regular_file(file);  // as /dev/stdout
  is_other ? write_durably(file, text) : replace_durably(file, text);
}

int output_error() {
  const OutputState& state = output_state();
  return state.lost_a_result && state.first_error != EPIPE ? state.first_error.load() : 0;
}

}  // namespace dflash
