// SPDX-License-Identifier: Apache-2.0
#include "stages/export/export_command.h"

#include <map>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/printing.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"
#include "stages/evaluate/network_models.h"
#include "stages/export/trained_drafter.h"
#include "stages/export/zlab_export.h"

namespace dflash {
namespace {

using Values = std::map<std::string, std::string>;

std::string required(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  DFLASH_USER_CHECK(found != values.end() && !found->second.empty(), "export: {} is missing", name);
  return found->second;
}

void check_format(const Values& values) {
  const auto found = values.find("format");
  const std::string format = found == values.end() || found->second.empty() ? "zlab" : found->second;
  DFLASH_USER_CHECK(format != "speculators",
                    "export: --format speculators is not supported by this version; allowed: zlab");
  DFLASH_USER_CHECK(format == "zlab", "export: unknown --format '{}'{}; allowed: zlab", format,
                    suggestion(format, {"zlab"}));
}

/// What `read` makes of the resolved graph of the run.
template <class Read>
auto from_resolved(const TrainedDrafter& trained, const Read& read) {
  return read_written(trained.resolved, (trained.run_folder / "resolved.json").string(), read);
}

c10::ScalarType compute_type(const Json& resolved) {
  const std::string precision = resolved.value("precision", "auto");
  const bool on_gpu = resolved.value("device", "cpu").starts_with("cuda");
  return precision == "bf16" || (precision == "auto" && on_gpu) ? at::kBFloat16 : at::kFloat;
}

/// Prompts and limits of the parity set that the run wrote; no prompts where it wrote none.
struct ParityInputs {
  std::vector<std::vector<std::int64_t>> prompts;
  AnswerOptions answers;
};

ParityInputs parity_inputs(const std::filesystem::path& run_folder, std::int64_t block_size) {
  ParityInputs inputs{.prompts = {}, .answers = {.block_size = block_size}};
  const std::filesystem::path path = run_folder / "export" / "parity.json";
  if (!std::filesystem::exists(path)) {
    return inputs;
  }
  return read_written(parse_or_discard(read_text(path)), path.string(), [&](const Json& parity) {
    inputs.answers.new_tokens = whole_number(parity.at("new_tokens"));
    inputs.answers.stop_ids = whole_numbers(parity.at("stop_ids"));
    for (const Json& prompt : parity.at("prompts")) {
      inputs.prompts.push_back(whole_numbers(prompt.at("ids")));
    }
    return inputs;
  });
}

ZlabExportResult export_trained(const TrainedDrafter& trained, const RunModels& models, const ParityInputs& parity,
                                const std::filesystem::path& folder) {
  const DrafterWeights masters = read_drafter_weights(models.drafter_config, trained.weights, at::kFloat);
  const TargetWeights target = load_target(models.target_folder, models.target_config, at::kFloat, at::kCPU);
  const auto decode_models = [&](const ZlabDrafter& drafter) {
    return network_models(models.target_config, target, drafter.config, drafter.weights, parity.answers.new_tokens);
  };
  return export_zlab({.config = models.drafter_config,
                      .weights = masters,
                      .dtype = from_resolved(trained, compute_type),
                      .decode_models = decode_models,
                      .prompts = parity.prompts,
                      .answers = parity.answers},
                     folder);
}

int run_export(const Values& values, const ResolveModels& resolve, const CommandOutput& output) {
  check_format(values);
  const TrainedDrafter trained = find_trained_drafter(required(values, "RUN_OR_CHECKPOINT"));
  const std::filesystem::path folder = required(values, "DIR");
  const RunModels models =
      from_resolved(trained, [&](const Json& resolved) { return resolve(resolved.at("graph").at("models")); });
  ParityInputs parity = parity_inputs(trained.run_folder, models.drafter_config.block_size);
  ZlabExportResult result = export_trained(trained, models, parity, folder);
  if (parity.prompts.empty()) {
    result.warnings.emplace_back("its parity set is empty: the run wrote no export with prompts to take");
  }
  if (output.json) {
    print("{}\n", text_of({{"folder", folder.string()},
                           {"weights", trained.weights.string()},
                           {"tau", result.tau ? Json(*result.tau) : Json(nullptr)},
                           {"warnings", result.warnings}}));
    return 0;
  }
  if (output.quiet) {
    return 0;
  }
  print("exported {} to {}\n", trained.weights.string(), folder.string());
  for (const std::string& warning : result.warnings) {
    print_error("warning: {}\n", warning);
  }
  return 0;
}

}  // namespace

Command export_command(ResolveModels resolve) {
  return {.name = "export",
          .help = "writes a trained drafter as a folder that serving packages load",
          .positionals = {{"RUN_OR_CHECKPOINT", "a run's folder (its newest checkpoint), or one checkpoint's"},
                          {"DIR", "the folder to write; an earlier export there is replaced"}},
          .options = {{"--format", "zlab (SGLang, vLLM, z-lab's own code)"}},
          .run = [resolve = std::move(resolve)](const std::vector<std::pair<std::string, std::string>>& values,
                                                const CommandOutput& output) {
            return run_export({values.begin(), values.end()}, resolve, output);
          }};
}

}  // namespace dflash
