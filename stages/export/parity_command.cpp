// SPDX-License-Identifier: Apache-2.0
#include "stages/export/parity_command.h"

#include <algorithm>
#include <map>
#include <optional>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/printing.h"
#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "framework/core/named_path.h"
#include "stages/evaluate/network_models.h"
#include "stages/export/drafter_folder.h"
#include "stages/export/parity_set.h"
#include "stages/export/target_fingerprint.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

using Values = std::map<std::string, std::string>;

std::string value_of(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : found->second;
}

fs::path target_of(const Values& values, const Json& stored, const fs::path& file) {
  if (const std::string given = value_of(values, "target"); !given.empty()) {
    return given;
  }
  DFLASH_USER_CHECK(stored.contains("target"), "{} does not say which target it was made with; name it: --target PATH",
                    file.string());
  return stored.at("target").at("path").get<std::string>();
}

Json decode_again(const fs::path& folder, const fs::path& target_folder, ParityInputs inputs) {
  const TargetConfig target_config = read_target_config(target_folder);
  const TargetWeights target = load_target(target_folder, target_config, at::kFloat, at::kCPU);
  const StoredDrafter drafter = read_drafter_folder(folder, at::kFloat, target_config.num_hidden_layers);
  inputs.answers.block_size = drafter.config.block_size;
  return parity_set(network_models(target_config, target, drafter.config, drafter.weights, inputs.answers.new_tokens),
                    inputs.prompts, inputs.answers);
}

/// The prompts, counted from 0, that came out otherwise, and in what.
Json differences(const Json& stored, const Json& found) {
  Json all = Json::array();
  for (std::size_t prompt = 0; prompt < found.at("prompts").size(); ++prompt) {
    for (const char* what : {"tokens", "accepted", "first_draft"}) {
      const Json& before = stored.at("prompts").at(prompt).at(what);
      const Json& now = found.at("prompts").at(prompt).at(what);
      if (before != now) {
        all.push_back({{"prompt", prompt}, {"what", what}, {"stored", before}, {"found", now}});
        break;
      }
    }
  }
  return all;
}

/// A value in few words: of a list, what stands from `begin` on.
std::string shown_from(const Json& value, std::size_t begin) {
  constexpr std::size_t kMostShown = 8;
  if (!value.is_array()) {
    return value.dump();
  }
  std::string text;
  for (std::size_t i = begin; i < std::min(value.size(), begin + kMostShown); ++i) {
    text += (text.empty() ? "" : " ") + value[i].dump();
  }
  return text.empty() ? "at its end" : text + (begin + kMostShown < value.size() ? " ..." : "");
}

std::size_t first_difference(const Json& before, const Json& now) {
  std::size_t at = 0;
  while (at < std::min(before.size(), now.size()) && before[at] == now[at]) {
    ++at;
  }
  return at;
}

std::string difference_text(const Json& difference) {
  const Json& before = difference.at("stored");
  const Json& now = difference.at("found");
  const std::size_t at = before.is_array() && now.is_array() ? first_difference(before, now) : 0;
  return fmt::format("prompt {}: {} differ from number {} on: were {}, and are {}\n",
                     difference.at("prompt").get<std::int64_t>() + 1, difference.at("what").get<std::string>(), at + 1,
                     shown_from(before, at), shown_from(now, at));
}

void print_result(const Json& result, const CommandOutput& output) {
  if (output.json) {
    print("{}\n", text_of(result));
    return;
  }
  for (const Json& difference : result.at("differences")) {
    print_error("{}", difference_text(difference));
  }
  if (!output.quiet) {
    print("{} of {} prompts as stored; tau {:.4f}\n", result.at("equal").get<std::size_t>(),
          result.at("prompts").get<std::size_t>(), result.at("tau").get<double>());
  }
}

int run_parity(const Values& values, const CommandOutput& output) {
  const fs::path folder = value_of(values, "DIR");
  if (const auto problem = path_problem(folder, PathKind::kFolder, "drafter's folder")) {
    throw UserError(*problem);
  }
  const fs::path file = folder / kParityName;
  DFLASH_USER_CHECK(fs::exists(file), "{}: has no {}; it is no export of this program", folder.string(), kParityName);
  return read_written(parse_or_discard(read_text(file)), file.string(), [&](const Json& written) {
    const ParityInputs inputs = parity_inputs_of(written);
    DFLASH_USER_CHECK(!inputs.prompts.empty(), "{}: has no prompts, so there is nothing to repeat", file.string());
    const fs::path target = target_of(values, written, file);
    if (const std::optional<std::string> other = other_target(folder, target)) {
      throw UserError(*other);
    }
    const Json found = decode_again(folder, target, inputs);
    Json unlike = differences(written, found);
    const std::size_t prompts = inputs.prompts.size();
    const Json result{{"prompts", prompts},
                      {"equal", prompts - unlike.size()},
                      {"tau", found.at("tau")},
                      {"differences", std::move(unlike)}};
    print_result(result, output);
    return result.at("differences").empty() ? 0 : 1;
  });
}

}  // namespace

Command parity_command() {
  return {.name = "parity",
          .help = "decodes an export's parity set again and compares, to see that it still does what was measured",
          .positionals = {{"DIR", "the folder of an exported drafter"}},
          .options = {{"--target", "the target's folder; by default the one that the export names"}},
          .run = [](const std::vector<std::pair<std::string, std::string>>& values, const CommandOutput& output) {
            return run_parity({values.begin(), values.end()}, output);
          }};
}

}  // namespace dflash
