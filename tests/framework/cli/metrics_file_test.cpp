// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/metrics_file.h"

#include <cerrno>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/printing.h"
#include "framework/core/error.h"
#include "tests/support/any_json.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(MetricsFile, AppendsALineAnObject) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  append_json_line(file, {{"step", 1}, {"loss", 2.5}});
  append_json_line(file, {{"event", "evaluation"}, {"step", 1}});
  EXPECT_EQ(read_text(file), "{\"step\":1,\"loss\":2.5}\n{\"event\":\"evaluation\",\"step\":1}\n");
}

TEST(MetricsFile, SaysThatTheDiskIsFull) {
  EXPECT_THAT([] { append_json_line("/dev/full", {{"step", 1}}); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("/dev/full"), HasSubstr("No space left"))));
}

TEST(MetricsFile, SaysWhyALineWasCutShort) {
  const TemporaryFolder folder;
  ignore_write_signals();
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 10, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string said;
  errno = EPERM;
  try {
    append_json_line(folder.path() / "metrics.jsonl", {{"text", std::string(100, 'x')}});
  } catch (const UserError& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(said, AllOf(HasSubstr("cannot append to"), HasSubstr("too large")));
}

TEST(CutBackMetrics, KeepsLinesUpToTheStep) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  for (int step = 0; step <= 5; ++step) {
    append_json_line(file, {{"step", step}});
  }
  cut_back_metrics(file, 2, false);
  EXPECT_EQ(read_text(file), "{\"step\":0}\n{\"step\":1}\n{\"step\":2}\n");
}

TEST(CutBackMetrics, DropsALineThatACrashCutShort) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  write_durably(file, "{\"step\":1}\n{\"step\":2,\"lo");
  cut_back_metrics(file, 9, false);
  EXPECT_EQ(read_text(file), "{\"step\":1}\n");
}

TEST(CutBackMetrics, DropsEverythingForARunThatStartsAfresh) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  append_json_line(file, {{"step", 0}});
  cut_back_metrics(file, -1, false);
  EXPECT_EQ(read_text(file), "");
}

TEST(CutBackMetrics, DropsAnEvaluationAtTheEndThatComesAgain) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  append_json_line(file, {{"step", 1}});
  append_json_line(file, {{"step", 1}, {"event", "evaluation"}, {"when", "end"}});
  cut_back_metrics(file, 1, false);
  EXPECT_THAT(read_text(file), HasSubstr("evaluation"));
  cut_back_metrics(file, 1, true);
  EXPECT_EQ(read_text(file), "{\"step\":1}\n");
}

TEST(CutBackMetrics, MakesNoFile) {
  const TemporaryFolder folder;
  cut_back_metrics(folder.path() / "metrics.jsonl", 3, false);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "metrics.jsonl"));
}

TEST(CutBackMetrics, KeepsOnlyLinesWhoseStepIsAnInteger) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  write_durably(file, "{\"step\":1,\"when\":3}\n{\"step\":0.5}\n{\"step\":-1e300}\n{\"step\":18446744073709551615}\n");
  cut_back_metrics(file, 1, true);
  EXPECT_EQ(read_text(file), "{\"step\":1,\"when\":3}\n");
}

// A line is judged by itself, whatever stands around it.
RC_GTEST_PROP(CutBackMetrics, JudgesEachLineOfAnyFileByItself, ()) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  const Json line{{"step", *rc::gen::inRange(0, 4)}, {"loss", 2.5}, {"when", *rc::gen::element("start", "end")}};
  const bool is_kept = line["step"] <= 2 && line["when"] != "end";
  const std::string others = mutated(line).dump() + "\n" + (*any_json<Json>(1)).dump() + "\n";
  std::ofstream{file} << others << line.dump() << "\n{\"step\":1,\"lo";
  cut_back_metrics(file, 2, true);
  RC_ASSERT(read_text(file).ends_with(line.dump() + "\n") == is_kept);
}

TEST(CutBackMetrics, DropsALineThatIsNestedDeeply) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "metrics.jsonl";
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  write_durably(file, "{\"step\":" + deep + "}\n{\"step\":1,\"when\":" + deep + "}\n{\"step\":1}\n");
  cut_back_metrics(file, 1, true);
  EXPECT_EQ(read_text(file), "{\"step\":1}\n");
}

}  // namespace
}  // namespace dflash
