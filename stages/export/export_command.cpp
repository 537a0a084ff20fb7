// SPDX-License-Identifier: Apache-2.0
#include "stages/export/export_command.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/cli/printing.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"
#include "stages/evaluate/network_models.h"
#include "stages/export/drafter_export.h"
#include "stages/export/parity_set.h"
#include "stages/export/trained_drafter.h"

namespace dflash {
namespace {

using Values = std::map<std::string, std::string>;

std::string required(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  DFLASH_USER_CHECK(found != values.end() && !found->second.empty(), "export: {} is missing", name);
  return found->second;
}

/// The value of an option that is one of a few words; the first where it was not given.
template <class Value>
Value chosen(const Values& values, const std::string& option,
             const std::vector<std::pair<std::string, Value>>& allowed) {
  std::vector<std::string> words;
  for (const auto& [word, value] : allowed) {
    words.push_back(word);
  }
  const auto found = values.find(option);
  const std::string given = found == values.end() || found->second.empty() ? words.front() : found->second;
  const auto match = std::ranges::find(words, given);
  DFLASH_USER_CHECK(match != words.end(), "export: unknown --{} '{}'{}; allowed: {}", option, given,
                    suggestion(given, words), fmt::join(words, " | "));
  return allowed[static_cast<std::size_t>(match - words.begin())].second;
}

/// What `read` makes of the resolved graph of the run.
template <class Read>
auto from_resolved(const TrainedDrafter& trained, const Read& read) {
  return read_written(trained.resolved, (trained.run_folder / "resolved.json").string(), read);
}

c10::ScalarType compute_type(const Json& resolved) {
  const std::string precision = resolved.value("precision", "auto");
  const bool on_gpu = resolved.value("device", "cpu").starts_with("cuda");
  return precision.ends_with("bf16") || (precision == "auto" && on_gpu) ? at::kBFloat16 : at::kFloat;
}

/// Prompts and limits of the parity set that the run wrote; no prompts where it wrote none.
ParityInputs inputs_of_run(const std::filesystem::path& run_folder, std::int64_t block_size) {
  ParityInputs inputs;
  for (const char* name : kExportFolders) {
    if (const std::filesystem::path file = run_folder / name / kParityName; std::filesystem::exists(file)) {
      inputs = parity_inputs(file);
      break;
    }
  }
  inputs.answers.block_size = block_size;
  return inputs;
}

/// How the folder shall be written.
struct Wanted {
  std::filesystem::path folder;
  ExportFormat format;
  std::optional<c10::ScalarType> dtype;  // none: as trained
  std::string verifier;                  // empty: the target of the run
};

Wanted wanted_by(const Values& values) {
  using Dtype = std::optional<c10::ScalarType>;
  Wanted wanted{.folder = required(values, "DIR"),
                .format = chosen<ExportFormat>(
                    values, "format", {{"zlab", ExportFormat::kZlab}, {"speculators", ExportFormat::kSpeculators}}),
                .dtype = chosen<Dtype>(values, "dtype",
                                       {{"trained", std::nullopt}, {"fp32", at::kFloat}, {"bf16", at::kBFloat16}}),
                .verifier = ""};
  if (const auto found = values.find("verifier"); found != values.end()) {
    wanted.verifier = found->second;
    DFLASH_USER_CHECK(wanted.verifier.empty() || wanted.format == ExportFormat::kSpeculators,
                      "export: --verifier is the target's path in the layout speculators; --format zlab has none");
  }
  return wanted;
}

DrafterExportResult export_trained(const TrainedDrafter& trained, const RunModels& models, const ParityInputs& parity,
                                   const Wanted& wanted) {
  const DrafterWeights masters = read_drafter_weights(models.drafter_config, trained.weights, at::kFloat);
  const TargetWeights target = load_target(models.target_folder, models.target_config, at::kFloat, at::kCPU);
  const auto decode_models = [&](const StoredDrafter& drafter) {
    return network_models(models.target_config, target, drafter.config, drafter.weights, parity.answers.new_tokens);
  };
  Verifier verifier = verifier_of(models.target_folder, models.target_config);
  if (!wanted.verifier.empty()) {
    verifier.path = wanted.verifier;
  }
  return write_export({.config = models.drafter_config,
                       .weights = masters,
                       .layout = {.format = wanted.format, .verifier = verifier},
                       .dtype = wanted.dtype ? *wanted.dtype : from_resolved(trained, compute_type),
                       .decode_models = decode_models,
                       .prompts = parity.prompts,
                       .answers = parity.answers,
                       .target_folder = models.target_folder,
                       .target_dtype = models.target_config.dtype,
                       .chat = models.chat},
                      wanted.folder);
}

void print_result(const TrainedDrafter& trained, const Wanted& wanted, const DrafterExportResult& result,
                  const CommandOutput& output) {
  if (output.json) {
    print("{}\n", text_of({{"folder", wanted.folder.string()},
                           {"weights", trained.weights.string()},
                           {"tau", result.tau ? Json(*result.tau) : Json(nullptr)},
                           {"warnings", result.warnings}}));
    return;
  }
  if (output.quiet) {
    return;
  }
  print("exported {} to {}\n", trained.weights.string(), wanted.folder.string());
  for (const std::string& warning : result.warnings) {
    print_error("warning: {}\n", warning);
  }
}

int run_export(const Values& values, const ResolveModels& resolve, const CommandOutput& output) {
  const std::string run_or_checkpoint = required(values, "RUN_OR_CHECKPOINT");
  const Wanted wanted = wanted_by(values);
  const TrainedDrafter trained = find_trained_drafter(run_or_checkpoint);
  const RunModels models =
      from_resolved(trained, [&](const Json& resolved) { return resolve(resolved.at("graph").at("models")); });
  const ParityInputs parity = inputs_of_run(trained.run_folder, models.drafter_config.block_size);
  DrafterExportResult result = export_trained(trained, models, parity, wanted);
  if (parity.prompts.empty()) {
    result.warnings.emplace_back("its parity set is empty: the run wrote no export with prompts to take");
  }
  print_result(trained, wanted, result, output);
  return 0;
}

}  // namespace

Command export_command(ResolveModels resolve) {
  return {.name = "export",
          .help = "writes a trained drafter as a folder that serving packages load",
          .positionals = {{"RUN_OR_CHECKPOINT", "a run's folder (its newest checkpoint), or one checkpoint's"},
                          {"DIR", "the folder to write; an earlier export there is replaced"}},
          .options = {{"--format", "zlab (SGLang, vLLM, z-lab's own code; the default) | speculators"},
                      {"--verifier",
                       "of speculators: the target's path or name as it shall stand there; by default the "
                       "run's target, absolute"},
                      {"--dtype", "trained (as the run computed; the default) | fp32 | bf16"}},
          .run = [resolve = std::move(resolve)](const std::vector<std::pair<std::string, std::string>>& values,
                                                const CommandOutput& output) {
            return run_export({values.begin(), values.end()}, resolve, output);
          }};
}

}  // namespace dflash
