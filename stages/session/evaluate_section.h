// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/param.h"

namespace dflash {

/// "run.evaluate" of a graph file.
struct EvaluateSection final : ParamSet {
  Param<std::string> path{
      *this,
      "path",
      {.required = true,
       .help = "held-out rows: JSONL chats (acceptance length of a drafter) or text (loss of a target)"}};
  Param<std::string> training_path{
      *this,
      "training_path",
      {.help = "the training rows, to say how many of the held-out answers' 8-grams they hold; empty: not measured"}};
  Param<std::int64_t> prompts{
      *this, "prompts", {.value = 64, .min = 1, .unit = "rows", .help = "how many rows, from the first"}};
  Param<std::int64_t> new_tokens{
      *this, "new_tokens", {.value = 160, .min = 1, .unit = "tokens", .help = "the most that an answer has"}};
  Param<double> temperature{
      *this,
      "temperature",
      {.value = 0.5, .min = 0.0, .help = "of the sampled answers that are measured beside the greedy ones; 0: none"}};
  Param<std::vector<std::string>> at{
      *this,
      "at",
      {.value = {"start", "end"}, .words = "start | end", .help = "before the first step, after the last"}};
  Param<std::int64_t> every{
      *this, "every", {.value = 0, .min = 0, .unit = "steps", .help = "also every so many steps; 0: not"}};
};

}  // namespace dflash
