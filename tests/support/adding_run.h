// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/graph.h"
#include "framework/core/item_fields.h"
#include "framework/core/stage.h"

namespace dflash {

template <>
struct ItemType<std::int64_t> {
  static constexpr std::string_view kName = "number";
  static std::string serialize(const std::int64_t& value) {
    ItemWriter writer{kName};
    writer.set("value", value);
    return writer.take();
  }
  static std::int64_t deserialize(std::string_view bytes, const std::string&) {
    return ItemReader{bytes, kName}.number("value");
  }
};

/// 1, 2, 3, ... to `last`.
class Numbers final : public Source<std::int64_t> {
 public:
  static StageInfo info() { return {.type = "numbers", .summary = "counts"}; }
  Numbers() : Source{"numbers", "1, 2, 3, ..."} {}
  std::optional<std::int64_t> next(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;
  std::int64_t last = 1000;

 private:
  std::int64_t given_ = 0;
};

/// Adds numbers up, a step a number, a line of metrics a step.
class Adder final : public Stage {
 public:
  static StageInfo info() { return {.type = "adder", .summary = "adds", .drives_steps = true}; }
  Input<std::int64_t> numbers{*this, "numbers", "what is added"};
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;
  std::function<void()> at_open = [] {};
  std::function<void(std::int64_t step, Firing& firing)> at_step = [](std::int64_t, Firing&) {};
  std::int64_t sum = 0;

 private:
  StageEnv env_;
  std::int64_t step_ = 0;
};

class NoParams final : public ParamSet {};

/// Evaluates to {"tau": step + 0.5} and notes each call.
class NotingHooks final : public RunHooks {
 public:
  std::vector<std::pair<std::string, ParamSet*>> model_sections() override { return {}; }
  ParamSet& evaluate_params() override { return params_; }
  void resolve(const RunEnv&, const std::vector<std::string>&, Resources&, GraphMistakes&) override {
    calls.emplace_back("resolve");
  }
  bool evaluates_at(std::int64_t step, const std::string& when) const override;
  Json evaluate(std::int64_t step, const std::string& when) override;
  double score(const Json& evaluation) const override;
  std::string final_summary(const Json&) override { return "the last table"; }
  void finish(const std::filesystem::path& run_dir) override;
  std::vector<std::string> calls;
  std::int64_t evaluate_every = 0;
  std::function<void()> at_finish = [] {};
  std::function<void(const std::string& when)> at_evaluate = [](const std::string&) {};

 private:
  NoParams params_;
};

/// Numbers into an adder, ready to run.
struct AddingRun {
  AddingRun();
  Graph graph;
  NotingHooks hooks;
  Numbers* numbers;
  Adder* adder;
  RunPlan plan;
};

}  // namespace dflash
