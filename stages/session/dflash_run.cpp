// SPDX-License-Identifier: Apache-2.0
#include "stages/session/dflash_run.h"

#include <algorithm>
#include <filesystem>

#include "framework/core/error.h"
#include "stages/evaluate/heldout_loss.h"
#include "stages/evaluate/network_models.h"
#include "stages/evaluate/summary_table.h"
#include "stages/export/zlab_export.h"
#include "stages/session/heldout_prompts.h"

namespace dflash {
namespace {

constexpr std::int64_t kPackLength = 8192;  // of held-out text
constexpr std::int64_t kColumns = 100;      // of the printed story
constexpr std::size_t kParityPrompts = 4;   // of the export's parity set

c10::ScalarType compute_type(const RunEnv& env) {
  if (env.device == "cpu") {
    DFLASH_USER_CHECK(env.precision != "bf16",
                      "run.precision: bf16 needs a CUDA device; allowed on the CPU: auto, fp32");
    return c10::ScalarType::Float;
  }
  return env.precision == "fp32" ? c10::ScalarType::Float : c10::ScalarType::BFloat16;
}

void check_special_tokens(const DrafterConfig& drafter, const TargetConfig& target, const TextCodec& codec) {
  DFLASH_USER_CHECK(drafter.mask_token_id >= 0 && drafter.mask_token_id < target.vocab_size,
                    "mask_token_id {} is not a row of the target's embedding, which has {}", drafter.mask_token_id,
                    target.vocab_size);
  DFLASH_USER_CHECK(drafter.mask_token_id != codec.eos_id && drafter.mask_token_id != codec.pad_id,
                    "mask_token_id {} is also the target's end-of-turn or padding token; choose an unused one",
                    drafter.mask_token_id);
}

void check_file(const char* key, const std::string& path) {
  DFLASH_USER_CHECK(!path.empty(), "{}: missing; allowed: a file of held-out rows, JSONL chats or text", key);
  DFLASH_USER_CHECK(std::filesystem::is_regular_file(path), "{}: found '{}', allowed: a file; there is none", key,
                    path);
}

}  // namespace

void DflashRun::resolve(const RunEnv& env, const std::vector<std::string>& given, Resources& resources) {
  env_ = env;
  const auto has = [&](const char* section) { return std::find(given.begin(), given.end(), section) != given.end(); };
  if (!has("target")) {
    DFLASH_USER_CHECK(!has("drafter"), "models.drafter needs models.target: the drafter is trained against it");
    DFLASH_USER_CHECK(!env.evaluate, "run.evaluate: the graph has no section models.target; set run.evaluate to false");
    return;
  }
  DFLASH_USER_CHECK(!target_.path().empty(), "models.target.path: missing; allowed: a Hugging Face folder");
  const TargetConfig config = read_target_config(target_.path());
  codec_ = std::make_shared<TextCodec>(load_text_codec(target_.path()));
  std::optional<DrafterConfig> drafter;
  if (has("drafter")) {
    drafter = resolve_drafter_config(drafter_, config);
    check_special_tokens(*drafter, config, *codec_);
  }
  models_ =
      std::make_shared<Models>(Models::Options{.target_path = target_.path(),
                                               .random_target = target_.weights() == TargetSection::Weights::kRandom,
                                               .seed = env.seed,
                                               .device = c10::Device{env.device},
                                               .compute_type = compute_type(env)},
                               config, drafter);
  resources.put(models_);
  resources.put(codec_);
  read_what_evaluations_need();
}

void DflashRun::read_what_evaluations_need() {
  if (!env_.evaluate || (evaluate_.at().empty() && evaluate_.every() == 0 && env_.keep_best == 0)) {
    return;
  }
  check_file("run.evaluate.path", evaluate_.path());
  if (!models_->has_drafter()) {
    const std::int64_t longest = std::min<std::int64_t>(models_->target_config().max_position_embeddings, kPackLength);
    heldout_texts_ = read_heldout_documents(evaluate_.path(), *codec_, evaluate_.prompts(), longest);
    return;
  }
  if (!evaluate_.training_path().empty()) {
    check_file("run.evaluate.training_path", evaluate_.training_path());
  }
  // `check` opens the training rows too, but does not read them all.
  evaluation_.emplace(*models_, *codec_, evaluate_, env_.seed, /*read_training=*/env_.log != nullptr);
  evaluation_->set_before_round([this] { check_interruption(); });
  if (env_.keep_best > 0) {
    evaluation_->check_stored_answers();
  }
}

void DflashRun::check_interruption() const {
  if (env_.stop_requested()) {
    throw Interrupted("the evaluation was interrupted");
  }
}

bool DflashRun::evaluates_at(std::int64_t step, const std::string& when) const {
  if (when == "step") {
    return evaluate_.every() > 0 && step % evaluate_.every() == 0;
  }
  return std::find(evaluate_.at().begin(), evaluate_.at().end(), when) != evaluate_.at().end();
}

Json DflashRun::evaluate(std::int64_t, const std::string& when) {
  DFLASH_CHECK(models_ != nullptr, "an evaluation without models");
  return models_->has_drafter() ? evaluate_drafter(when) : evaluate_target();
}

Json DflashRun::evaluate_drafter(const std::string& when) {
  if (when == "checkpoint") {
    return evaluation_->run_small();
  }
  Json report = evaluation_->run(/*complete=*/when == "end");
  if (env_.log != nullptr) {
    env_.log->set_metric("tau", report.at("tau"));
  }
  if (when == "start") {
    summarise("tau_before", report);
  } else if (when == "end") {
    after_ = report;
    summarise("tau_after", report);
  }
  return report;
}

void DflashRun::summarise(const char* name, const Json& report) const {
  if (env_.log != nullptr) {
    env_.log->set_summary("training", {{name, report.at("tau")}});
  }
}

Json DflashRun::evaluate_target() const {
  const HeldoutLoss loss = heldout_loss(*models_->target_weights(), models_->target_config(), heldout_texts_,
                                        kPackLength, [this] { check_interruption(); });
  return {{"loss", loss.nats_per_token}, {"heldout_tokens", loss.tokens}};
}

double DflashRun::score(const Json& evaluation) const {
  if (evaluation.contains("loss")) {
    return -evaluation.at("loss").get<double>();
  }
  return evaluation.contains("tau") ? evaluation.at("tau").get<double>()
                                    : evaluation.at("replay").at("tau").get<double>();
}

std::string DflashRun::final_summary(const Json& report) {
  if (models_ == nullptr || !models_->has_drafter()) {
    return "";
  }
  const Json training = report.value("training", Json::object());
  Json summary{
      {"loss", {{"first", training.value("loss_first", Json())}, {"last", training.value("loss_last", Json())}}},
      {"before", {{"tau", training.value("tau_before", Json())}}},
      {"after", after_},
      {"training_tokens_per_s", training.value("tokens_per_s", Json())}};
  if (evaluation_) {
    summary["story"] = evaluation_->marked_answer(kColumns);
  }
  return summary_table(summary);
}

void DflashRun::finish(const std::filesystem::path& run_dir) {
  if (models_ == nullptr) {
    return;
  }
  if (models_->has_drafter() && models_->drafter_weights()) {
    export_drafter(run_dir / "export");
  } else if (models_->trains_target()) {
    export_target(run_dir / "export");
  }
}

void DflashRun::export_target(const std::filesystem::path& folder) const {
  save_target(folder, models_->target_config(), *models_->target_weights(), models_->target_config().dtype);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "chat_template.jinja"}) {
    const std::filesystem::path from = models_->options().target_path / name;
    if (std::filesystem::exists(from)) {
      std::filesystem::copy_file(from, folder / name, std::filesystem::copy_options::overwrite_existing);
    }
  }
}

void DflashRun::export_drafter(const std::filesystem::path& folder) {
  std::vector<std::vector<std::int64_t>> prompts;
  AnswerOptions answers{.block_size = models_->drafter_config().block_size};
  if (evaluation_) {
    answers = evaluation_->answer_options();
    for (std::size_t i = 0; i < std::min(kParityPrompts, evaluation_->prompts().size()); ++i) {
      prompts.push_back(evaluation_->prompts()[i].ids);
    }
  }
  const TargetWeights target =
      load_target(models_->options().target_path, models_->target_config(), at::kFloat, at::kCPU);
  export_zlab({.config = models_->drafter_config(),
               .weights = *models_->drafter_weights(),
               .dtype = models_->options().compute_type,
               .decode_models =
                   [&](const ZlabDrafter& drafter) {
                     return network_models(models_->target_config(), target, drafter.config, drafter.weights,
                                           answers.new_tokens);
                   },
               .prompts = prompts,
               .answers = answers},
              folder);
}

RunModels resolve_run_models(const Json& models) {
  TargetSection target;
  DrafterSection drafter;
  const auto assign = [&](const char* section, ParamSet& params) {
    for (const auto& [key, value] : models.at(section).items()) {
      ParamBase* param = params.find_param(key);
      DFLASH_USER_CHECK(param != nullptr, "models.{}.{}: this version does not know it", section, key);
      const std::optional<std::string> problem = param->assign(value);
      DFLASH_USER_CHECK(!problem, "models.{}.{}: {}", section, key, *problem);
    }
  };
  assign("target", target);
  assign("drafter", drafter);
  RunModels resolved{
      .target_folder = target.path(), .target_config = read_target_config(target.path()), .drafter_config = {}};
  resolved.drafter_config = resolve_drafter_config(drafter, resolved.target_config);
  return resolved;
}

}  // namespace dflash
