// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/child_process.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ChildProcessTest : public testing::Test {
 protected:
  int shell(const std::string& script, const std::function<int()>& stops = [] { return 0; }) {
    return run_child("/bin/sh", {"sh", "-c", script}, log_, stops);
  }

  /// Fails where a file does not come within a generous time.
  static void await(const std::filesystem::path& file) {
    for (int i = 0; i < 2000 && !std::filesystem::exists(file); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }

  TemporaryFolder folder_;
  std::filesystem::path log_ = folder_.path() / "log";
};

TEST_F(ChildProcessTest, ReturnsTheExitCodeAndKeepsWhatWasPrinted) {
  EXPECT_EQ(shell("echo out; echo err >&2; exit 3"), 3);
  EXPECT_EQ(read_text(log_), "out\nerr\n");
  EXPECT_EQ(shell("cat"), 0);  // there is nothing to read
}

TEST_F(ChildProcessTest, TellsOfASignal) { EXPECT_EQ(shell("kill -KILL $$"), 128 + SIGKILL); }

TEST_F(ChildProcessTest, PassesARequestToStopOnOnce) {
  const std::string ready = (folder_.path() / "ready").string();
  const auto stops = [&] { return std::filesystem::exists(ready) ? 1 : 0; };
  EXPECT_EQ(shell("n=0; trap 'n=$((n+1))' INT; : > '" + ready +
                      "'; while [ $n = 0 ]; do sleep 0.01; done; sleep 0.1; exit $n",
                  stops),
            1);
}

TEST_F(ChildProcessTest, IsAskedToEndWhereItsParentIsKilled) {
  const std::filesystem::path ready = folder_.path() / "ready";
  const std::filesystem::path ended = folder_.path() / "ended";
  const pid_t parent = ::fork();
  if (parent == 0) {
    shell("trap ': > \"" + ended.string() + "\"; exit' INT; : > '" + ready.string() +
          "'; for i in $(seq 1000); do sleep 0.01; done");
    ::_exit(0);
  }
  await(ready);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  await(ended);
}

TEST_F(ChildProcessTest, SaysWhatCannotBeStarted) {
  const auto none = [] { return 0; };
  EXPECT_THAT([&] { run_child("/no/such/program", {"x"}, log_, none); },
              ThrowsMessage<UserError>(HasSubstr("cannot start '/no/such/program'")));
  EXPECT_THAT([&] { run_child("/bin/sh", {"sh"}, "/no/such/folder/log", none); },
              ThrowsMessage<UserError>(HasSubstr("'/no/such/folder/log': No such file or directory")));
}

}  // namespace
}  // namespace dflash
