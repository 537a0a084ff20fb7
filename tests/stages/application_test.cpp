// SPDX-License-Identifier: Apache-2.0
// Whole runs of the shipped graphs, a few steps each, through the command line.
#include "stages/application.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/load_graph.h"
#include "framework/cli/plan_check.h"
#include "framework/core/error.h"
#include "stages/export/drafter_folder.h"
#include "stages/models/target_weights.h"
#include "tests/stages/whole_run.h"
#include "tests/support/any_json.h"

namespace dflash {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pointwise;
using testing::SizeIs;

using ApplicationTest = WholeRunTest;

TEST_F(ApplicationTest, TrainsMeasuresAndExportsADrafter) {
  ASSERT_EQ(train("run", 3), 0);
  EXPECT_THAT(losses("run"), SizeIs(3));
  const Json training = report("run").at("training");
  EXPECT_EQ(training.at("steps"), 3);
  EXPECT_GE(training.at("tau_before"), 1.0);
  EXPECT_GE(training.at("tau_after"), 1.0);
  const StoredDrafter drafter = read_drafter_folder(path("run") / "export", c10::ScalarType::Float);
  EXPECT_EQ(drafter.config.block_size, 8);
  const Json parity = Json::parse(std::ifstream{path("run") / "export" / "parity.json"});
  EXPECT_FALSE(parity.at("prompts").empty());
}

TEST_F(ApplicationTest, RepeatsItselfAndKeepsItsLossesUnderSwapsThatMayNotChangeThem) {
  const std::string off = "run.evaluate=false";
  ASSERT_EQ(train("plain", 3, {"--set", off}), 0);
  const std::vector<double> plain = losses("plain");
  ASSERT_EQ(train("again", 3, {"--set", off}), 0);
  EXPECT_EQ(losses("again"), plain);
  int number = 0;
  for (const char* swap : {"drafter.fc=split", "drafter.attention=dense", "pack.mask=dense", "drafter.head=whole",
                           "extract.form=split", "postprocess.mode=inline", "queue.capacity=4"}) {
    const std::string name = std::to_string(++number);
    ASSERT_EQ(train(name, 3, {"--set", off, "--set", swap}), 0) << swap;
    EXPECT_THAT(losses(name), Pointwise(DoubleNear(1e-4), plain)) << swap;
  }
}

TEST_F(ApplicationTest, SaysWhatItsExportLacks) {
  ASSERT_EQ(train("run", 1, {"--set", "run.evaluate=false", "--set", "models.drafter.layers=sliding"}), 0);
  EXPECT_THAT(report("run").at("export").at("warnings").dump(), HasSubstr("its parity set is empty"));
}

TEST_F(ApplicationTest, E08ExportsTheSameBytesByTheRunAndByTheCommand) {
  ASSERT_EQ(train("run", 2, {"--set", R"(models.drafter.export=["zlab","speculators"])"}), 0);
  for (const auto& [format, folder] : {std::pair{"zlab", "export"}, std::pair{"speculators", "export_speculators"}}) {
    ASSERT_EQ(run({"export", path("run").string(), path(format).string(), "--format", format, "--quiet"}), 0);
    for (const char* file : {"config.json", "model.safetensors", "parity.json"}) {
      EXPECT_EQ(hash_file(path(format) / file), hash_file(path("run") / folder / file)) << format << " " << file;
    }
  }
}

TEST_F(ApplicationTest, E14RepeatsTheParitySetOfAnExport) {
  ASSERT_EQ(train("run", 2), 0);
  EXPECT_EQ(run({"parity", path("run/export").string(), "--quiet"}), 0);
}

TEST_F(ApplicationTest, GoesOnTrainingAnExportedDrafter) {
  const std::string off = "run.evaluate=false";
  ASSERT_EQ(train("first", 12, {"--set", off, "--set", "drafter.schedule=linear"}), 0);
  const std::string exported = path("first/export").string();
  ASSERT_EQ(train("second", 2, {"--set", off, "--set", "models.drafter.weights=" + exported}), 0);
  EXPECT_LT(losses("second").front(), losses("first").front() - 0.5);
  EXPECT_EQ(report("second").at("provenance").at("started_from"), exported);
  EXPECT_EQ(report("second").at("provenance").at("precision"), "auto: fp32");
  ASSERT_EQ(train("third", 2,
                  {"--set", off, "--set", "models.drafter.config=", "--set", "models.drafter.block_size=null", "--set",
                   "models.drafter.path=" + exported}),
            0);
  EXPECT_EQ(losses("third"), losses("second"));
  EXPECT_EQ(
      train("fourth", 2, {"--set", off, "--set", "vars.block_size=4", "--set", "models.drafter.weights=" + exported}),
      2);
}

// The figure that judges checkpoints is the teacher-forced one of an evaluation on the same prompts.
TEST_F(ApplicationTest, A07ReplaysAFixedSetAtEachCheckpointAsAnEvaluationDoes) {
  ASSERT_EQ(train("run", 4, {"--set", "run.checkpoint.every=2", "--set", "run.checkpoint.keep_best=1"}), 0);
  std::vector<Json> at_checkpoints;
  Json at_end;
  for (const Json& line : metrics("run")) {
    if (line.value("when", "") == "checkpoint") {
      at_checkpoints.push_back(line);
    } else if (line.value("when", "") == "end") {
      at_end = line;
    }
  }
  ASSERT_EQ(at_checkpoints.size(), 2U);
  EXPECT_EQ(at_checkpoints[0].at("step"), 2);
  EXPECT_NEAR(at_checkpoints[1].at("replay").at("tau").get<double>(), at_end.at("replay").at("tau").get<double>(),
              1e-6);
}

TEST_F(ApplicationTest, PretrainsATarget) {
  ASSERT_EQ(run({"run", "graphs/pretrain_target.json", "--quiet", "--run-dir", path("run").string(), "--set",
                 "run.steps=3", "--set", "batch.pack_length=512", "--set", "run.evaluate.prompts=2"}),
            0);
  EXPECT_LT(losses("run").back(), losses("run").front());
  const TargetConfig config = read_target_config(path("run") / "export");
  EXPECT_NO_THROW(load_target(path("run") / "export", config, at::kFloat, at::kCPU));
}

TEST_F(ApplicationTest, GeneratesAnswers) {
  std::ofstream{path("stories.txt")} << "Tom saw a cat. It was big.\n\nAnn had a ball. She lost it.\n";
  ASSERT_EQ(run({"run", "graphs/generate.json", "--quiet", "--run-dir", path("run").string(), "--set",
                 "data.path=" + path("stories.txt").string(), "--set", "answer.max_new_tokens=6"}),
            0);
  std::ifstream rows{path("run") / "answers.jsonl"};
  std::string line;
  ASSERT_TRUE(std::getline(rows, line));
  EXPECT_EQ(Json::parse(line).at("messages").at(0).at("content"), "Tom saw a cat.");
}

TEST_F(ApplicationTest, LeavesNothingBehindWhereTheGraphIsWrong) {
  for (const char* set : {"drafter.fc=spilt", "drafter.attention=fused", "target.precision=fp8", "target.graphs=true",
                          "run.device=cuda:99", "models.drafter.taps=[1,5]", "data.path=missing.jsonl"}) {
    EXPECT_EQ(train("run", 1, {"--set", set}), 2) << set;
    EXPECT_FALSE(std::filesystem::exists(path("run"))) << set;
  }
}

// The whole of a check, on the default graph with anything inside it replaced or removed: all is read, or every mistake
// has its place.
TEST_F(ApplicationTest, ReadsOrRefusesAnyChangeOfItsGraph) {
  const Json graph = Json::parse(std::ifstream{"graphs/train.json"}, nullptr, true, /*ignore_comments=*/true);
  const GraphRequest request{.path = path("g.json"), .overlays = {}, .swaps = {}, .sets = {}};
  const Application application = dflash_application();
  EXPECT_TRUE(rc::check([&] {
    std::ofstream{request.path} << mutated(graph);
    Diagnostics diagnostics;
    try {
      LoadedGraph loaded = load_graph(request, application, diagnostics);
      RunPlan plan = loaded.plan();
      Resources resources;
      check_plan(application, plan, {}, resources, diagnostics);
    } catch (const UserError&) {
      RC_ASSERT(!diagnostics.empty());
    }
    for (const std::string& mistake : diagnostics.mistakes()) {
      RC_ASSERT(mistake.starts_with(request.path.string()));
    }
  }));
}

TEST_F(ApplicationTest, WarnsOfAWindowThatNoLayerHas) {
  const std::vector<std::string> strict{"check", "graphs/train.json",       "--strict", "--quiet",
                                        "--set", "models.drafter.window=16"};
  EXPECT_EQ(run(strict), 2);
  std::vector<std::string> sliding = strict;
  sliding.insert(sliding.end(), {"--set", "models.drafter.layers=hybrid"});
  EXPECT_EQ(run(sliding), 0);
}

TEST_F(ApplicationTest, ChecksItsOwnGraphs) {
  for (const char* graph : {"graphs/train.json", "graphs/pretrain_target.json", "graphs/generate.json"}) {
    EXPECT_EQ(run({"check", graph, "--json"}), 0) << graph;
  }
}

}  // namespace
}  // namespace dflash
