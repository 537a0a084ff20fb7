// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kPause{20};
constexpr int kSignalled = 128;
constexpr int kCannotStart = 127;  // nobody sees it
constexpr mode_t kReadable = 0644;

/// A pipe whose ends close when a program is started. The child writes to it why it could not start one.
class FailurePipe {
 public:
  FailurePipe() {
    DFLASH_CHECK(::pipe2(ends_.data(), O_CLOEXEC) == 0, "no pipe: {}", std::generic_category().message(errno));
  }
  FailurePipe(const FailurePipe&) = delete;
  FailurePipe& operator=(const FailurePipe&) = delete;
  ~FailurePipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  [[nodiscard]] int write_end() const { return ends_[1]; }
  /// Blocks until the program runs, which is 0, or could not be started.
  [[nodiscard]] int error() {
    ::close(std::exchange(ends_[1], -1));
    int error = 0;
    return ::read(ends_[0], &error, sizeof error) == sizeof error ? error : 0;
  }

 private:
  std::array<int, 2> ends_{};
};

/// What the child does. Other threads are not there any more, so it may call only what is safe in a signal handler.
[[noreturn]] void become(const char* program, char* const* arguments, const char* log, pid_t parent, int failure) {
  const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = ::open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadable);
  if (input >= 0 && output >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
      ::dup2(output, STDERR_FILENO) >= 0 && ::setpgid(0, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGINT) == 0 &&
      ::getppid() == parent) {
    ::execve(program, arguments, ::environ);
  }
  const int error = errno;
  (void)!::write(failure, &error, sizeof error);
  ::_exit(kCannotStart);
}

pid_t start(const std::string& program, std::vector<std::string> arguments, const std::filesystem::path& log) {
  std::vector<char*> pointers(arguments.size() + 1, nullptr);
  std::ranges::transform(arguments, pointers.begin(), [](std::string& argument) { return argument.data(); });
  FailurePipe failure;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    become(program.c_str(), pointers.data(), log.c_str(), parent, failure.write_end());
  }
  const int error = child < 0 ? errno : failure.error();
  if (error != 0 && child > 0) {
    ::waitpid(child, nullptr, 0);
  }
  DFLASH_USER_CHECK(error == 0, "cannot start '{}' with its output in '{}': {}", program, log.string(),
                    std::generic_category().message(error));
  return child;
}

}  // namespace

int run_child(const std::string& program, const std::vector<std::string>& arguments, const std::filesystem::path& log,
              const std::function<int()>& stops) {
  const pid_t child = start(program, arguments, log);
  int passed_on = 0;
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    DFLASH_CHECK(ended >= 0 || errno == EINTR, "cannot wait for '{}': {}", program,
                 std::generic_category().message(errno));
    if (ended == child) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
    }
    for (const int wanted = stops(); passed_on < wanted; ++passed_on) {
      ::kill(child, SIGINT);
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace dflash
