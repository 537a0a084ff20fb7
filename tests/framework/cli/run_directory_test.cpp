// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_directory.h"

#include <gmock/gmock.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::ThrowsMessage;

class RunDirectoryTest : public ::testing::Test {
 protected:
  void make_run() const {
    fs::create_directories(path_ / "checkpoints");
    write_durably(path_ / "resolved.json", "{}");
  }
  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "run";
};

TEST_F(RunDirectoryTest, MakesNothingBeforeItIsToldTo) {
  RunDirectory directory{path_, RunDirectory::Existing::kRefuse};
  EXPECT_FALSE(fs::exists(path_));
  directory.create();
  EXPECT_TRUE(fs::is_directory(path_));
  EXPECT_TRUE(directory.created());
}

TEST_F(RunDirectoryTest, TakesAnEmptyFolder) {
  fs::create_directory(path_);
  EXPECT_NO_THROW(RunDirectory(path_, RunDirectory::Existing::kRefuse));
}

TEST_F(RunDirectoryTest, TakesAFolderWhereARunWasKilledAtItsFirstFile) {
  fs::create_directory(path_);
  write_durably(path_ / "resolved.json.tmp", "{ half");
  EXPECT_NO_THROW(RunDirectory(path_, RunDirectory::Existing::kResume));
}

TEST_F(RunDirectoryTest, ForgetsTheReportOfARunThatGoesOn) {
  make_run();
  const std::vector<std::string> reports{"report.json", "report.txt", "report.html", "trace.json", "timeline.json"};
  for (const std::string& name : reports) {
    write_durably(path_ / name, "{}");
  }
  const RunDirectory directory{path_, RunDirectory::Existing::kResume};
  directory.remove_reports();
  for (const std::string& name : reports) {
    EXPECT_FALSE(fs::exists(path_ / name)) << name;
  }
  EXPECT_NO_THROW(directory.remove_reports());
}

TEST_F(RunDirectoryTest, RefusesAnEarlierRunAndSaysWhatIsAllowed) {
  make_run();
  EXPECT_THAT([&] { RunDirectory(path_, RunDirectory::Existing::kRefuse); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("run' exists"), HasSubstr("--resume"), HasSubstr("--force"))));
}

TEST_F(RunDirectoryTest, KeepsAnEarlierRunToResumeIt) {
  make_run();
  RunDirectory{path_, RunDirectory::Existing::kResume}.create();
  EXPECT_TRUE(fs::exists(path_ / "checkpoints"));
}

TEST_F(RunDirectoryTest, RemovesAnEarlierRunByForceButNotBeforeItIsMade) {
  make_run();
  RunDirectory directory{path_, RunDirectory::Existing::kReplace};
  EXPECT_TRUE(fs::exists(path_ / "resolved.json"));
  directory.create();
  EXPECT_TRUE(fs::is_empty(path_));
}

TEST_F(RunDirectoryTest, IsNobodyElsesWhileItsRunGoesOn) {
  RunDirectory running{path_, RunDirectory::Existing::kRefuse};
  running.create();
  write_durably(path_ / "resolved.json", "{}");
  for (const auto existing : {RunDirectory::Existing::kResume, RunDirectory::Existing::kReplace}) {
    EXPECT_THAT([&] { RunDirectory(path_, existing); },
                ThrowsMessage<UserError>(HasSubstr("is in use: another process writes there")));
  }
  EXPECT_TRUE(fs::exists(path_ / "resolved.json"));
}

TEST_F(RunDirectoryTest, IsMadeByOneOfTwoThatStartAtOnce) {
  RunDirectory first{path_, RunDirectory::Existing::kRefuse};
  RunDirectory second{path_, RunDirectory::Existing::kRefuse};
  first.create();
  EXPECT_THAT([&] { second.create(); }, ThrowsMessage<UserError>(HasSubstr("is in use")));
}

TEST_F(RunDirectoryTest, NeverRemovesAFolderOfSomethingElse) {
  fs::create_directory(path_);
  write_durably(path_ / "thesis.tex", "years of work");
  EXPECT_THAT([&] { RunDirectory(path_, RunDirectory::Existing::kReplace); },
              ThrowsMessage<UserError>(HasSubstr("is not a run directory")));
  EXPECT_THROW(RunDirectory(path_, RunDirectory::Existing::kResume), UserError);
  EXPECT_TRUE(fs::exists(path_ / "thesis.tex"));
}

TEST_F(RunDirectoryTest, RefusesAFile) {
  write_durably(path_, "text");
  EXPECT_THAT([&] { RunDirectory(path_, RunDirectory::Existing::kReplace); },
              ThrowsMessage<UserError>(HasSubstr("is a file")));
}

TEST_F(RunDirectoryTest, SaysWhenTheDiskRefuses) {
  RunDirectory directory{"/proc/no/such/run", RunDirectory::Existing::kRefuse};
  EXPECT_THAT([&] { directory.create(); }, ThrowsMessage<UserError>(HasSubstr("cannot be made")));
  EXPECT_FALSE(directory.created());
}

TEST(RunDirectoryDefault, IsNamedByGraphAndTime) {
  EXPECT_THAT(RunDirectory::default_path("train", 1'700'000'000).string(),
              MatchesRegex("runs/train-202311[0-9][0-9]-[0-9]{6}"));
}

}  // namespace
}  // namespace dflash
