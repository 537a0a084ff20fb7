// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dflash {

/// Runs a program and waits for its end. `program`: its file; `arguments`: with its name in front. What it prints goes
/// to the file `log`; it reads nothing. It has a process group of its own, so that a signal of the terminal does not
/// reach it past us: it is sent SIGINT once for each of `stops()`, which is asked every few milliseconds, and once when
/// the calling thread ends without a word, so that nobody leaves it behind. Returns its exit code, or 128 and the
/// number of the signal that ended it. Throws UserError where it cannot be started.
int run_child(const std::string& program, const std::vector<std::string>& arguments, const std::filesystem::path& log,
              const std::function<int()>& stops);

}  // namespace dflash
