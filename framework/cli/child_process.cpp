// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kPause{20};
constexpr int kSignalled = 128;
constexpr mode_t kReadable = 0644;

/// Where the child's output goes, and its process group.
class SpawnSettings {
 public:
  explicit SpawnSettings(const std::filesystem::path& log) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kReadable);
    ::posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

pid_t start(const std::string& program, std::vector<std::string> arguments, const std::filesystem::path& log) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const SpawnSettings settings{log};
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, program.c_str(), settings.files(), settings.attributes(), pointers.data(), ::environ);
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
