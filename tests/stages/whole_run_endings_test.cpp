// SPDX-License-Identifier: Apache-2.0
// Runs that do not end well: each says why by name, leaves a report, and loses nothing that was saved.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <sys/resource.h>

#include "framework/checkpoint/checkpoint_store.h"
#include "tests/stages/whole_run.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WholeRunEndingsTest : public WholeRunTest {
 protected:
  [[nodiscard]] std::vector<std::int64_t> sound_checkpoints(const std::string& name) const {
    std::vector<std::int64_t> steps;
    for (const Checkpoint& checkpoint : CheckpointStore{path(name) / "checkpoints"}.list()) {
      EXPECT_EQ(CheckpointStore::verify(checkpoint.folder), std::nullopt);
      steps.push_back(checkpoint.step);
    }
    return steps;
  }
  /// On a disk with room for metrics and reports, not for weights.
  static int on_a_full_disk(const std::function<int()>& work) {
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{.rlim_cur = 200'000, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const int code = work();
    ::setrlimit(RLIMIT_FSIZE, &before);
    return code;
  }
  static std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  [[nodiscard]] std::string first_error(const std::string& name) const {
    return report(name).at("errors").at(0).get<std::string>();
  }
};

TEST_F(WholeRunEndingsTest, ATrainingThatDivergesFailsByNameAndExportsNothing) {
  EXPECT_EQ(
      train("run", 12, {"--set", "run.evaluate=false", "--set", "drafter.lr=1e30", "--set", "run.checkpoint.every=1"}),
      1);
  EXPECT_EQ(report("run").at("outcome").at("code"), 1);
  EXPECT_THAT(first_error("run"), AllOf(HasSubstr("stage 'drafter' (step "), HasSubstr("the training has diverged: "),
                                        HasSubstr("try a lower drafter.lr")));
  EXPECT_FALSE(std::filesystem::exists(path("run") / "export"));
  EXPECT_THAT(sound_checkpoints("run"), Not(testing::IsEmpty()));
  EXPECT_LT(sound_checkpoints("run").back(), 12);
}

TEST_F(WholeRunEndingsTest, APlantedNanIsNamedBesideTheDivergence) {
  EXPECT_EQ(train("run", 6, {"--set", "run.evaluate=false", "--set", "extract.inject.nan_at=2"}), 1);
  EXPECT_THAT(first_error("run"), HasSubstr("the training has diverged: "));
  EXPECT_EQ(report("run").at("notes").at("inject"), "planted: stage 'extract' emits NaN at firing 2 (inject.nan_at)");
}

TEST_F(WholeRunEndingsTest, AFullDiskLosesNothingThatWasSaved) {
  ASSERT_EQ(train("run", 2, {"--set", "run.evaluate=false"}), 0);
  EXPECT_EQ(on_a_full_disk([&] { return train("run", 4, {"--set", "run.evaluate=false", "--resume"}); }), 2);
  EXPECT_THAT(first_error("run"), AllOf(HasSubstr("stage 'drafter'"), HasSubstr("cannot write"),
                                        HasSubstr("step-000004/drafter/"), HasSubstr("too large")));
  EXPECT_THAT(sound_checkpoints("run"), testing::ElementsAre(2));
  EXPECT_EQ(train("run", 4, {"--set", "run.evaluate=false", "--resume"}), 0);
  EXPECT_THAT(sound_checkpoints("run"), testing::ElementsAre(2, 4));
}

TEST_F(WholeRunEndingsTest, AnExportOntoAFullDiskLeavesTheEarlierOneAndIsMadeUpFor) {
  const std::filesystem::path weights = path("run") / "export" / "model.safetensors";
  ASSERT_EQ(train("run", 2, {"--set", "run.evaluate=false"}), 0);
  const std::string earlier = content_of(weights);
  std::filesystem::remove(path("run") / "report.json");  // as a run that was killed after its last checkpoint
  EXPECT_EQ(on_a_full_disk([&] { return train("run", 2, {"--set", "run.evaluate=false", "--resume"}); }), 2);
  EXPECT_THAT(first_error("run"),
              AllOf(HasSubstr("cannot write"), HasSubstr("model.safetensors"), HasSubstr("too large")));
  EXPECT_EQ(report("run").at("outcome").at("code"), 2);
  EXPECT_EQ(content_of(weights), earlier);
  EXPECT_THAT(sound_checkpoints("run"), testing::ElementsAre(2));
  testing::internal::CaptureStderr();
  EXPECT_EQ(on_a_full_disk([&] { return run({"export", path("run").string(), path("exported").string()}); }), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(testing::StartsWith("error: "), HasSubstr("model.safetensors"), HasSubstr("too large")));
  EXPECT_FALSE(std::filesystem::exists(path("exported")));
  EXPECT_EQ(train("run", 2, {"--set", "run.evaluate=false", "--resume"}), 0);
  EXPECT_EQ(report("run").at("outcome").at("code"), 0);
  EXPECT_EQ(content_of(weights), earlier);
}

TEST_F(WholeRunEndingsTest, ADamagedCheckpointIsRefusedOrPassedOver) {
  const std::vector<std::string> every_second{"--set", "run.evaluate=false", "--set", "run.checkpoint.every=2"};
  ASSERT_EQ(train("run", 4, every_second), 0);
  const auto weights = [&](const std::string& step) {
    return path("run") / "checkpoints" / step / "drafter" / "optimizer.safetensors";
  };
  std::filesystem::resize_file(weights("step-000004"), 1000);
  std::vector<std::string> resumed = every_second;
  resumed.emplace_back("--resume");
  ASSERT_EQ(train("run", 6, resumed), 0);
  EXPECT_EQ(report("run").at("provenance").at("resumed_from_step"), 2);
  EXPECT_THAT(losses("run"), testing::SizeIs(6));
  for (const char* step : {"step-000004", "step-000006"}) {
    std::fstream file{weights(step), std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(5000);
    file.put('\x55');
  }
  const std::vector<Json> before = metrics("run");
  EXPECT_EQ(train("run", 8, resumed), 2);
  EXPECT_EQ(metrics("run"), before);
  EXPECT_EQ(run({"export", path("run").string(), path("exported").string()}), 2);
}

TEST_F(WholeRunEndingsTest, RefusesEvaluationFilesThatCannotServeBeforeAnythingStarts) {
  const std::string row =
      R"({"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Ho."}]})";
  const std::string question = R"({"messages": [{"role": "user", "content": "Hi."}]})";
  std::ofstream{path("same.jsonl")} << row << "\n" << row << "\n" << row << "\n";
  std::ofstream{path("questions.jsonl")} << question << "\n";
  const std::string only_at_the_end = R"(run.evaluate.at=["end"])";
  const std::vector<std::vector<std::string>> wrong{
      {"run.evaluate.path=missing.jsonl"},
      {"run.evaluate.path="},
      {"run.evaluate.path=" + path("same.jsonl").string()},
      {"run.evaluate.prompts=100000"},
      {"run.evaluate.new_tokens=1020"},
      {"run.evaluate.training_path=missing.jsonl"},
      {"run.evaluate.path=" + path("questions.jsonl").string(), "run.evaluate.prompts=1"}};
  for (const std::vector<std::string>& sets : wrong) {
    std::vector<std::string> arguments{"--set", only_at_the_end};
    for (const std::string& set : sets) {
      arguments.insert(arguments.end(), {"--set", set});
    }
    EXPECT_EQ(train("run", 1, arguments), 2) << sets.front();
    EXPECT_FALSE(std::filesystem::exists(path("run"))) << sets.front();
    arguments.insert(arguments.begin(), {"check", "graphs/train.json", "--quiet"});
    EXPECT_EQ(run(arguments), 2) << sets.front();
  }
  EXPECT_EQ(train("run", 1, {"--set", "run.evaluate.path=missing.jsonl", "--set", "run.evaluate=false"}), 0);
}

using WholeRunFieldReports = WholeRunTest;

TEST_F(WholeRunFieldReports, P05AnyLengthGoesWithAnyBlockSizeOrIsRefusedBeforeAStep) {
  const std::vector<std::string> quick{"--set", "run.evaluate=false", "--set", "data.max_length=61"};
  const auto with_block = [&](const std::string& size) {
    std::vector<std::string> more = quick;
    more.insert(more.end(), {"--set", "models.drafter.block_size=" + size});
    return train("block_" + size, 1, more);
  };
  for (const char* size : {"2", "4", "65"}) {
    EXPECT_EQ(with_block(size), 0) << size;
  }
  for (const char* size : {"0", "1"}) {
    EXPECT_EQ(with_block(size), 2) << size;
    EXPECT_FALSE(std::filesystem::exists(path("block_" + std::string{size})));
  }
}

TEST_F(WholeRunEndingsTest, ATargetThatDivergesFailsByNameToo) {
  EXPECT_EQ(
      run({"run", "graphs/pretrain_target.json", "--quiet", "--run-dir", path("run").string(), "--set", "run.steps=6",
           "--set", "batch.pack_length=512", "--set", "run.evaluate=false", "--set", "target.lr=1e30"}),
      1);
  EXPECT_THAT(first_error("run"), HasSubstr("stage 'target' (step "));
  EXPECT_FALSE(std::filesystem::exists(path("run") / "export"));
}

}  // namespace
}  // namespace dflash
