// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/cli/application.h"
#include "stages/data/text_codec.h"
#include "stages/export/export_command.h"
#include "stages/session/drafter_evaluation.h"
#include "stages/session/evaluate_section.h"
#include "stages/session/model_sections.h"
#include "stages/session/models.h"

namespace dflash {

/// What this program adds to a run: the models, their evaluation between steps, the export, and the last table. A graph
/// with "models.drafter" trains a drafter or measures one: its evaluation is the acceptance length on held-out prompts.
/// One without trains or uses the target: its evaluation is the held-out loss.
class DflashRun final : public RunHooks {
 public:
  [[nodiscard]] std::vector<std::pair<std::string, ParamSet*>> model_sections() override {
    return {{"target", &target_}, {"drafter", &drafter_}};
  }
  [[nodiscard]] ParamSet& evaluate_params() override { return evaluate_; }
  void resolve(const RunEnv& env, const std::vector<std::string>& given, Resources& resources,
               GraphMistakes& mistakes) override;
  [[nodiscard]] bool evaluates_at(std::int64_t step, const std::string& when) const override;
  [[nodiscard]] Json evaluate(std::int64_t step, const std::string& when) override;
  [[nodiscard]] double score(const Json& evaluation) const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;
  [[nodiscard]] Json provenance() const override;
  [[nodiscard]] std::string final_summary(const Json& report) override;
  void finish(const std::filesystem::path& run_dir) override;

 private:
  [[nodiscard]] Json evaluate_drafter(const std::string& when);
  [[nodiscard]] Json evaluate_target() const;
  /// Puts an acceptance length into the report's section "training".
  void summarise(const char* name, const Json& report) const;
  void export_drafter(const std::filesystem::path& run_dir);
  void export_target(const std::filesystem::path& folder) const;
  void read_what_evaluations_need(Resources& resources, GraphMistakes& mistakes);
  void read_prompts(GraphMistakes& mistakes);
  /// Throws Interrupted.
  void check_interruption() const;
  /// Before each round of an evaluation: shows where it stands. Throws Interrupted.
  void say_round(const EvaluationRound& round);

  TargetSection target_;
  DrafterSection drafter_;
  EvaluateSection evaluate_;
  RunEnv env_;
  std::shared_ptr<Models> models_;
  std::shared_ptr<TextCodec> codec_;
  std::shared_ptr<DrafterEvaluation> evaluation_;         // of a drafter; none where nothing is evaluated
  std::vector<std::vector<std::int64_t>> heldout_texts_;  // for the loss of a target
  std::string part_;                                      // of the evaluation that is under way
  std::int64_t round_ = 0;                                // of that part
  Json after_;                                            // the evaluation at the end
  std::vector<std::string> export_warnings_;
};

/// Turns the "models" of a run's resolved graph into configurations, as at the start of that run.
RunModels resolve_run_models(const Json& models);

}  // namespace dflash
