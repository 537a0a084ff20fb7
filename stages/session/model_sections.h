// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/graph_mistakes.h"
#include "framework/core/param.h"
#include "stages/data/text_codec.h"
#include "stages/models/drafter_config.h"
#include "stages/models/target_config.h"

namespace dflash {

/// "models.target" of a graph file.
struct TargetSection final : ParamSet {
  enum class Weights { kFile, kRandom };
  Param<std::string> path{
      *this, "path", {.required = true, .help = "Hugging Face folder: config.json, model.safetensors, tokenizer.json"}};
  Choice<Weights> weights{*this,
                          "weights",
                          Weights::kFile,
                          {{"file", Weights::kFile}, {"random", Weights::kRandom}},
                          "file: as the folder has them; random: fresh ones, to pre-train"};
  Choice<Thinking> thinking{*this,
                            "thinking",
                            Thinking::kUnset,
                            {{std::string{thinking_word(Thinking::kUnset)}, Thinking::kUnset},
                             {std::string{thinking_word(Thinking::kOn)}, Thinking::kOn},
                             {std::string{thinking_word(Thinking::kOff)}, Thinking::kOff}},
                            "enable_thinking of the chat template, as the target will be served; unset: left away"};
};

/// How a run's chats are rendered: {template, thinking}, the hash of the template's text ("" where there is none) and
/// whether it was asked for thinking.
Json chat_note(const ChatTemplate& chat);

/// "models.drafter" of a graph file: a configuration file, or a drafter's folder, and values that override it.
struct DrafterSection final : ParamSet {
  Param<std::string> config{
      *this, "config", {.help = "JSON file with the drafter's shape, keys as in a z-lab config.json"}};
  Param<std::string> path{
      *this,
      "path",
      {.help = "in place of config: folder of an exported or published drafter, whose shape and weights are taken"}};
  Param<std::string> weights{
      *this,
      "weights",
      {.help = "beside config: folder of such a drafter, of the same shape, whose weights training starts from"}};
  Param<std::optional<std::int64_t>> block_size{
      *this,
      "block_size",
      {.min = 2, .max = 256, .unit = "tokens", .help = "tokens drafted at once, the anchor included"}};
  Param<std::optional<std::string>> layers{
      *this, "layers", {.words = kLayerLayouts, .help = "attention of the layers; hybrid: all sliding but the last"}};
  Param<std::optional<std::int64_t>> window{
      *this,
      "window",
      {.min = 1, .unit = "tokens", .help = "sliding window, the query itself included; at least block_size"}};
  Param<std::vector<std::int64_t>> taps{
      *this,
      "taps",
      {.value = {},
       .help = "ids of the target layers whose output is tapped, 0-based, never the last; empty: the file's"}};
  Param<std::vector<std::string>> exports{*this,
                                          "export",
                                          {.value = {"zlab"},
                                           .words = "zlab | speculators",
                                           .help = "layouts that a run writes the drafter in at its end"}};

  /// The folder whose weights the drafter has at first; empty: random ones.
  [[nodiscard]] const std::string& start_folder() const { return path().empty() ? weights() : path(); }
  /// The parameter that says so.
  [[nodiscard]] const ParamBase& start_param() const {
    return path().empty() ? static_cast<const ParamBase&>(weights) : path;
  }
};

/// Reads the section's file, applies the overrides, fills what the target settles (hidden size, vocabulary, RoPE base,
/// number of layers) where the file is silent, and checks that drafter and target fit, and that the mask token means
/// nothing else to `codec` (null: not asked). Adds every fault where it comes from: at the override, or at "config" or
/// "path" with the place in its file. Nothing where there is a fault.
std::optional<DrafterConfig> resolve_drafter_config(const DrafterSection& section, const TargetConfig& target,
                                                    const TextCodec* codec, GraphMistakes& mistakes);

}  // namespace dflash
