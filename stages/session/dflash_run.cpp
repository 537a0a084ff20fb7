// SPDX-License-Identifier: Apache-2.0
#include "stages/session/dflash_run.h"

#include <algorithm>

#include "framework/core/error.h"
#include "framework/core/named_path.h"
#include "stages/evaluate/heldout_loss.h"
#include "stages/evaluate/network_models.h"
#include "stages/evaluate/summary_table.h"
#include "stages/export/drafter_export.h"
#include "stages/session/heldout_prompts.h"
#include "stages/session/resolve_models.h"

namespace dflash {
namespace {

constexpr std::string_view kEvaluate = "/run/evaluate";
constexpr std::int64_t kPackLength = 8192;  // of held-out text
constexpr std::int64_t kColumns = 100;      // of the printed story
constexpr std::size_t kParityPrompts = 4;   // of the export's parity set

}  // namespace

void DflashRun::resolve(const RunEnv& env, const std::vector<std::string>& given, Resources& resources,
                        GraphMistakes& mistakes) {
  env_ = env;
  ResolvedModels resolved = resolve_models(target_, drafter_, env, given, mistakes);
  models_ = std::move(resolved.models);
  codec_ = std::move(resolved.codec);
  if (models_ != nullptr) {
    resources.put(models_);
    resources.put(codec_);
  }
  if (env_.evaluate && !(evaluate_.at().empty() && evaluate_.every() == 0 && env_.keep_best == 0)) {
    read_what_evaluations_need(resources, mistakes);
  }
}

void DflashRun::read_what_evaluations_need(Resources& resources, GraphMistakes& mistakes) {
  if (mistakes.has_any_at(kEvaluate)) {
    return;
  }
  const bool resolved = models_ != nullptr && !mistakes.has_any_at("/models");
  if (models_ == nullptr && !mistakes.has_any_at("/models")) {
    mistakes.add(kEvaluate, "the graph has no section models.target to evaluate; allowed: false");
  }
  const auto has = [&](const Param<std::string>& path) {
    const auto problem = path_problem(path(), PathKind::kFile, "file of rows");
    if (problem) {
      mistakes.add(kEvaluate, path, *problem);
    }
    return !problem;
  };
  const bool has_training = evaluate_.training_path().empty() || has(evaluate_.training_path);
  if (!has(evaluate_.path) || !has_training || !resolved) {
    return;
  }
  try {
    if (models_->has_drafter()) {
      read_prompts(mistakes);
      resources.put(evaluation_);
    } else {
      const std::int64_t longest = models_->target_config().max_position_embeddings;
      heldout_texts_ = read_heldout_documents(evaluate_.path(), *codec_, evaluate_.prompts(),
                                              std::min<std::int64_t>(longest, kPackLength));
    }
  } catch (const UserError& error) {
    mistakes.add(kEvaluate, evaluate_.path, error.what());
  }
}

void DflashRun::read_prompts(GraphMistakes& mistakes) {
  // `check` opens the training rows too, but does not read them all.
  evaluation_ = std::make_shared<DrafterEvaluation>(*models_, *codec_, evaluate_, env_.seed,
                                                    /*read_training=*/env_.log != nullptr);
  evaluation_->watch([this](const EvaluationRound& round) { say_round(round); }, [this] { env_.say_activity(""); });
  evaluation_->set_chat(chat_note(codec_->chat));
  const std::int64_t found = std::ssize(evaluation_->prompts());
  if (found < evaluate_.prompts()) {
    mistakes.add(
        kEvaluate, evaluate_.prompts,
        fmt::format("found {}, allowed: at most {}, the different prompts in {}; give more rows, or measure on "
                    "these: --set run.evaluate.prompts={}",
                    evaluate_.prompts(), found, evaluate_.path(), found));
  }
  std::int64_t longest = 0;
  for (const HeldoutPrompt& prompt : evaluation_->prompts()) {
    longest = std::max(longest, std::ssize(prompt.ids));
  }
  const std::int64_t most = models_->target_config().max_position_embeddings;
  if (longest + evaluate_.new_tokens() > most) {
    mistakes.add(kEvaluate, evaluate_.new_tokens,
                 fmt::format("found {}, which behind the longest prompt of {}, {} tokens, is more than the target's "
                             "max_position_embeddings, {}",
                             evaluate_.new_tokens(), evaluate_.path(), longest, most));
  }
  if (env_.keep_best > 0 && !evaluation_->has_stored_answers()) {
    mistakes.add("/run/checkpoint/keep_best",
                 fmt::format("found {}, allowed: 0; it goes by the answers in {}, which has none", env_.keep_best,
                             evaluate_.path()));
  }
}

void DflashRun::check_interruption() const {
  if (env_.stop_requested()) {
    throw Interrupted("the evaluation was interrupted");
  }
}

void DflashRun::say_round(const EvaluationRound& round) {
  check_interruption();
  round_ = round.part == part_ ? round_ + 1 : 1;
  part_ = round.part;
  env_.say_activity(
      fmt::format("evaluating: {} of {} prompts, {} (round {})", round.done, round.prompts, round.part, round_));
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
  part_.clear();
  if (when == "checkpoint") {
    return evaluation_->run_small();
  }
  // A drafter that is not trained is what it was when its stage measured it.
  const bool measured = when == "end" && !models_->trains_drafter() && evaluation_->complete_report();
  Json report = measured ? *evaluation_->complete_report() : evaluation_->run(/*complete=*/when == "end");
  if (env_.log != nullptr) {
    env_.log->set_metric("tau", report.at("tau"));
    env_.log->set_summary("evaluation", report);
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
  return evaluation.contains("loss") ? -evaluation.at("loss").get<double>()
                                     : evaluation.at("replay").at("tau").get<double>();
}

std::vector<std::string> DflashRun::warnings() const {
  if (models_ == nullptr || !models_->has_drafter() || !drafter_.window() ||
      models_->drafter_config().has(LayerKind::kSliding)) {
    return {};
  }
  return {
      fmt::format("models.drafter.window: {} has no effect: models.drafter.layers=sliding or hybrid makes use of it",
                  *drafter_.window())};
}

Json DflashRun::provenance() const {
  Json json = Json::object();
  if (models_ != nullptr && env_.precision == "auto") {
    json["precision"] = models_->options().compute_type == c10::ScalarType::BFloat16 ? "auto: bf16" : "auto: fp32";
  }
  if (models_ != nullptr && !models_->options().drafter_folder.empty()) {
    json["started_from"] = models_->options().drafter_folder.string();
  }
  return json;
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
      {"trained", models_->trains_drafter()},
      {"training_tokens_per_s", training.value("tokens_per_s", Json())}};
  if (evaluation_) {
    summary["story"] = evaluation_->marked_answer(kColumns);
  }
  std::string text = summary_table(summary);
  for (const std::string& warning : export_warnings_) {
    text += fmt::format("\nwarning: the export: {}", warning);
  }
  return text;
}

void DflashRun::finish(const std::filesystem::path& run_dir) {
  if (models_ == nullptr) {
    return;
  }
  if (models_->trains_drafter()) {
    export_drafter(run_dir);
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

void DflashRun::export_drafter(const std::filesystem::path& run_dir) {
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
  const auto decode_models = [&](const StoredDrafter& drafter) {
    return network_models(models_->target_config(), target, drafter.config, drafter.weights, answers.new_tokens);
  };
  std::vector<std::string> warnings;
  for (const ExportFormat format : {ExportFormat::kZlab, ExportFormat::kSpeculators}) {
    const char* word = format == ExportFormat::kZlab ? "zlab" : "speculators";
    if (std::ranges::find(drafter_.exports(), word) == drafter_.exports().end()) {
      continue;
    }
    const FolderLayout layout{.format = format,
                              .verifier = verifier_of(models_->options().target_path, models_->target_config())};
    const DrafterExportResult result = write_export({.config = models_->drafter_config(),
                                                     .weights = *models_->drafter_weights(),
                                                     .layout = layout,
                                                     .dtype = models_->options().compute_type,
                                                     .decode_models = decode_models,
                                                     .prompts = prompts,
                                                     .answers = answers,
                                                     .target_folder = models_->options().target_path,
                                                     .target_dtype = models_->target_config().dtype,
                                                     .chat = chat_note(codec_->chat)},
                                                    run_dir / kExportFolders[static_cast<std::size_t>(format)]);
    warnings.insert(warnings.end(), result.warnings.begin(), result.warnings.end());
  }
  if (prompts.empty()) {
    warnings.emplace_back("its parity set is empty: the run evaluates nothing, so it has no prompts");
  }
  env_.log->set_summary("export", {{"warnings", warnings}});
  export_warnings_ = std::move(warnings);
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
  RunModels resolved{.target_folder = target.path(),
                     .target_config = read_target_config(target.path()),
                     .drafter_config = {},
                     .chat = chat_note(ChatTemplate::load(target.path(), target.thinking()))};
  Diagnostics diagnostics;
  GraphMistakes mistakes{diagnostics};
  if (auto config = resolve_drafter_config(drafter, resolved.target_config, nullptr, mistakes)) {
    resolved.drafter_config = std::move(*config);
  }
  diagnostics.throw_if_any();
  return resolved;
}

}  // namespace dflash
