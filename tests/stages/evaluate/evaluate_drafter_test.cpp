// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/evaluate_drafter.h"

#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "stages/export/drafter_folder.h"
#include "tests/stages/whole_run.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Runs of graphs/eval.json on the export of a short training.
class EvaluateDrafterTest : public WholeRunTest {
 protected:
  void SetUp() override {
    std::ofstream rows{path("rows.jsonl")};
    for (const char* tag : {"animals", "toys", "animals"}) {
      rows << R"({"tag": ")" << tag << R"(", "messages": [{"role": "user", "content": "Tom saw )" << ++rows_
           << R"( cats."}, {"role": "assistant", "content": "They were big."}]})" << "\n";
    }
    rows.close();
    ASSERT_EQ(train("trained", 2, heldout()), 0);
  }
  [[nodiscard]] std::vector<std::string> heldout() const {
    return {"--set", "run.evaluate.path=" + path("rows.jsonl").string(),
            "--set", "run.evaluate.prompts=3",
            "--set", "run.evaluate.new_tokens=8",
            "--set", "run.evaluate.training_path="};
  }
  [[nodiscard]] std::vector<std::string> command(const std::string& verb,
                                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{verb, "graphs/eval.json", "--set",
                                       "models.drafter.path=" + path("trained/export").string()};
    const std::vector<std::string> sets = heldout();
    arguments.insert(arguments.end(), sets.begin(), sets.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  /// What `check` says of a graph that is wrong.
  std::string refusal(const std::vector<std::string>& more) {
    testing::internal::CaptureStderr();
    const int code = run(command("check", more));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, 2) << text;
    return text;
  }

 private:
  int rows_ = 0;
};

TEST_F(EvaluateDrafterTest, MeasuresAnExportAsTheRunThatWroteItDid) {
  ASSERT_EQ(run(command("run", {"--quiet", "--run-dir", path("eval").string()})), 0);
  const Json evaluation = report("eval").at("evaluation");
  const Json before = report("trained").at("evaluation");
  for (const char* key : {"tau", "slots", "tags", "rounds", "sampled", "replay", "equal_to_plain"}) {
    EXPECT_EQ(evaluation.at(key), before.at(key)) << key;
  }
  EXPECT_EQ(report("eval").at("training").at("tau_after"), evaluation.at("tau"));
  EXPECT_FALSE(std::filesystem::exists(path("eval/export")));
  EXPECT_EQ(metrics("eval").size(), 1U);
}

TEST_F(EvaluateDrafterTest, A03GivesTheAnswersAsRowsWithTheirTags) {
  ASSERT_EQ(run(command("run", {"--quiet", "--run-dir", path("eval").string()})), 0);
  std::ifstream file{path("eval/answers.jsonl")};
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(Json::parse(line));
  }
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].at("tag"), "toys");
  EXPECT_EQ(rows[1].at("prompt"), "Tom saw 2 cats.");
  EXPECT_FALSE(rows[1].at("answer").get<std::string>().empty());
  std::int64_t emitted = 1;  // by the prefill
  for (const Json& round : rows[1].at("accepted")) {
    emitted += round.get<std::int64_t>();
  }
  EXPECT_EQ(rows[1].at("tokens"), emitted);
  EXPECT_EQ(report("eval").at("evaluation").at("tags").at(0).at("tag"), "animals");
}

TEST_F(EvaluateDrafterTest, A03SaysHowThePromptsAreRenderedAndWarnsWhereTrainingsWereNot) {
  ASSERT_EQ(run(command("run", {"--quiet", "--run-dir", path("same").string()})), 0);
  const Json chat = report("same").at("evaluation").at("chat");
  EXPECT_EQ(chat.at("thinking"), "unset");
  EXPECT_EQ(chat, report("trained").at("evaluation").at("chat"));
  const std::filesystem::path parity = path("trained/export/parity.json");
  Json changed = Json::parse(std::ifstream{parity});
  EXPECT_EQ(changed.at("chat"), chat);
  changed["chat"]["thinking"] = "off";
  std::ofstream{parity} << changed;
  ASSERT_EQ(run(command("run", {"--quiet", "--run-dir", path("other").string()})), 0);
  EXPECT_THAT(report("other").at("evaluation").at("warnings").dump(), HasSubstr("trained on other chats"));
}

TEST_F(EvaluateDrafterTest, A08NeedsTheTargetsWeights) {
  EXPECT_THAT(refusal({"--set", "models.target.weights=random"}), HasSubstr("models/target/weights"));
}

TEST_F(EvaluateDrafterTest, NeedsAStoredDrafterAndPrompts) {
  EXPECT_THAT(refusal({"--set", "run.evaluate=false"}), HasSubstr("/run/evaluate: is missing or does nothing"));
  EXPECT_THAT(refusal({"--set", "models.drafter.path=", "--set", "models.drafter.config=configs/tiny/drafter.json"}),
              HasSubstr("/models/drafter: needs path: the folder of the drafter to measure"));
  EXPECT_THAT(refusal({"--set", "models.drafter.path="}),
              HasSubstr("/models/drafter: names no drafter; --set models.drafter.path=FOLDER"));
  EXPECT_THAT(refusal({"--set", "run.evaluate.prompts=64"}),
              AllOf(HasSubstr("/run/evaluate/prompts: found 64, allowed: at most 3, the different prompts in"),
                    HasSubstr("--set run.evaluate.prompts=3")));
}

TEST_F(EvaluateDrafterTest, E13RefusesADrafterOfAnotherTarget) {
  std::filesystem::copy("configs/tiny/target", path("other"));
  std::ofstream{path("other/tokenizer.json"), std::ios::app} << "\n";
  EXPECT_THAT(refusal({"--set", "models.target.path=" + path("other").string()}),
              AllOf(HasSubstr("/models/drafter/path: "), HasSubstr("trained against another target")));
}

TEST_F(EvaluateDrafterTest, TakesTheSpeculatorsLayoutToo) {
  ASSERT_EQ(run({"export", path("trained").string(), path("spec").string(), "--format", "speculators"}), 0);
  ASSERT_EQ(run(command("run", {"--quiet", "--run-dir", path("eval").string(), "--set",
                                "models.drafter.path=" + path("spec").string()})),
            0);
  EXPECT_EQ(report("eval").at("evaluation").at("tau"), report("trained").at("evaluation").at("tau"));
}

class OverfitTest : public WholeRunTest {
 protected:
  std::vector<std::string> with_rows(std::vector<std::string> arguments) const {
    for (const std::string& set :
         {"run.evaluate.path=" + path("rows.jsonl").string(), std::string{"run.evaluate.training_path="},
          std::string{"run.evaluate.prompts=8"}, std::string{"run.evaluate.new_tokens=320"},
          std::string{"run.evaluate.temperature=0"}, std::string{"run.device=cpu"}}) {
      arguments.insert(arguments.end(), {"--set", set});
    }
    return arguments;
  }
};

// Whatever is wrong with data, mask, positions, loss, export or decoding lowers this. The long form, with the other
// layout: scripts/check_overfit.sh.
TEST_F(OverfitTest, A01AcceptsWholeBlocksOfAnswersKnownByHeartThroughExportAndReload) {
  std::ifstream all{"configs/tiny/train.jsonl"};
  std::ofstream rows{path("rows.jsonl")};
  std::string line;
  for (int i = 0; i < 8 && std::getline(all, line); ++i) {
    rows << line << "\n";
  }
  rows.close();
  ASSERT_EQ(run(with_rows({"run",
                           "graphs/train.json",
                           "--quiet",
                           "--run-dir",
                           path("run").string(),
                           "--set",
                           "data.path=" + path("rows.jsonl").string(),
                           "--set",
                           "data.max_length=384",
                           "--set",
                           "batch.pack_length=768",
                           "--set",
                           "pack.num_anchors=192",
                           "--set",
                           "run.steps=150",
                           "--set",
                           "run.checkpoint.every=0",
                           "--set",
                           "run.checkpoint.keep_best=0",
                           "--set",
                           "run.evaluate.at=[]"})),
            0);
  EXPECT_LT(losses("run").back(), 0.05);
  ASSERT_EQ(run(with_rows({"run", "graphs/eval.json", "--quiet", "--run-dir", path("eval").string(), "--set",
                           "models.drafter.path=" + path("run/export").string()})),
            0);
  EXPECT_EQ(report("eval").at("evaluation").at("equal_to_plain"), 8);
  std::ifstream answers{path("eval/answers.jsonl")};
  while (std::getline(answers, line)) {
    auto accepted = Json::parse(line).at("accepted").get<std::vector<std::int64_t>>();
    accepted.pop_back();  // cut where the answer ends
    EXPECT_THAT(accepted, testing::Each(8)) << line;
  }
}

}  // namespace
}  // namespace dflash
