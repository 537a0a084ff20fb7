// SPDX-License-Identifier: Apache-2.0
// A run in parts is the run in one piece: the same items, so the same losses bit for bit, and the same lines of
// metrics.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "framework/checkpoint/durable_file.h"
#include "tests/stages/whole_run.h"

namespace dflash {
namespace {

constexpr std::int64_t kSteps = 4;  // of one part

class WholeRunResumeTest : public WholeRunTest, public testing::WithParamInterface<const char*> {
 protected:
  /// The learning rate does not depend on how many steps there will be.
  int train_part(const std::string& name, std::int64_t steps, bool resume) {
    std::vector<std::string> more{"--set", "run.evaluate=false",    "--set", "drafter.schedule=wsd",
                                  "--set", "drafter.decay_ratio=0", "--set", "drafter.warmup_ratio=0",
                                  "--set", "queue.capacity=12",     "--set", "queue.min_ready=6"};
    if (*GetParam() != '\0') {
      more.insert(more.end(), {"--set", GetParam()});
    }
    if (resume) {
      more.emplace_back("--resume");
    }
    return train(name, steps, more);
  }
};

TEST_P(WholeRunResumeTest, GivesTheSameLinesInPartsAsInOnePiece) {
  ASSERT_EQ(train_part("whole", 4 * kSteps, false), 0);
  for (std::int64_t part = 1; part <= 4; ++part) {
    ASSERT_EQ(train_part("parts", part * kSteps, part > 1), 0);
  }
  EXPECT_EQ(timeless_metrics("parts"), timeless_metrics("whole"));
}

using WholeRunGenerateTest = WholeRunTest;

TEST_F(WholeRunGenerateTest, WritesTheSameRowsInPartsAsInOnePiece) {
  const auto generate = [&](const std::string& name, const std::string& steps, bool resume) {
    std::vector<std::string> arguments{"run", "graphs/generate.json", "--run-dir", path(name).string(), "--quiet"};
    for (const std::string& set :
         {std::string{"data.path=configs/tiny/stories_heldout.txt.xz"}, std::string{"answer.batch=4"},
          std::string{"answer.max_new_tokens=6"}, "run.steps=" + steps}) {
      arguments.insert(arguments.end(), {"--set", set});
    }
    if (resume) {
      arguments.emplace_back("--resume");
    }
    return run(arguments);
  };
  ASSERT_EQ(generate("whole", "4", false), 0);
  ASSERT_EQ(generate("parts", "2", false), 0);
  std::ofstream{path("parts") / "answers.jsonl", std::ios::app} << "{\"torn";
  ASSERT_EQ(generate("parts", "4", true), 0);
  const auto rows = [&](const std::string& name) { return read_text(path(name) / "answers.jsonl"); };
  EXPECT_EQ(std::ranges::count(rows("whole"), '\n'), 16);
  EXPECT_EQ(rows("parts"), rows("whole"));
  EXPECT_EQ(report("parts").at("rows").at("answers.jsonl"), 16);
}

using WholeRunPrepareTest = WholeRunTest;

TEST_F(WholeRunPrepareTest, TrainsOnShardsAsOnTheirText) {
  const auto prepare = [&](const std::string& steps, bool resume) {
    std::vector<std::string> arguments{"run",       "graphs/prepare.json",
                                       "--run-dir", path("shards").string(),
                                       "--set",     "read.path=configs/tiny/heldout.jsonl",
                                       "--set",     "read.rows=16",
                                       "--set",     "write.shard_tokens=5000",
                                       "--set",     "run.steps=" + steps,
                                       "--quiet"};
    if (resume) {
      arguments.emplace_back("--resume");
    }
    return run(arguments);
  };
  ASSERT_EQ(prepare("2", false), 0);
  ASSERT_EQ(prepare("1000", true), 0);  // to the end of the data
  const std::vector<std::string> plain{"--set", "run.evaluate=false", "--set", "data.path=configs/tiny/heldout.jsonl"};
  ASSERT_EQ(train("text", 3, plain), 0);
  ASSERT_EQ(train("shards_run", 3,
                  {"--set", "run.evaluate=false", "--swap", "data=token_shards", "--set",
                   "data.path=" + (path("shards") / "shards").string()}),
            0);
  EXPECT_EQ(losses("shards_run"), losses("text"));
}

using WholeRunSummaryTest = WholeRunTest;

TEST_F(WholeRunSummaryTest, IsThatOfTheWholeRunAfterAResume) {
  const std::vector<std::string> constant{"--set", "drafter.schedule=wsd",  "--set", "drafter.decay_ratio=0",
                                          "--set", "drafter.warmup_ratio=0"};
  ASSERT_EQ(train("whole", 6, constant), 0);
  ASSERT_EQ(train("parts", 3, constant), 0);
  std::vector<std::string> resumed = constant;
  resumed.emplace_back("--resume");
  ASSERT_EQ(train("parts", 6, resumed), 0);
  const Json whole = report("whole").at("training");
  const Json parts = report("parts").at("training");
  for (const char* key : {"steps", "tokens", "loss_first", "loss_last", "tau_before", "tau_after"}) {
    EXPECT_EQ(parts.at(key), whole.at(key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, WholeRunResumeTest,
                         testing::Values("", "queue.order=random", "queue.buckets=[340,360]", "batch.mode=per_document",
                                         "drafter.accumulate=3"));

}  // namespace
}  // namespace dflash
