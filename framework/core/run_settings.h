// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/core/param.h"

namespace dflash {

/// The declared keys of a graph's "run" section, but for "evaluate", which the application declares.
struct RunParams final : ParamSet {
  enum class Precision { kAuto, kFp32, kBf16 };
  Param<std::string> device{
      *this, "device", {.value = "auto", .help = "where stages compute: auto, cpu, cuda:N or sim:N"}};
  Choice<Precision> precision{*this,
                              "precision",
                              Precision::kAuto,
                              {{"auto", Precision::kAuto}, {"fp32", Precision::kFp32}, {"bf16", Precision::kBf16}},
                              "number format of the computation; auto: bf16 on a GPU, fp32 on a CPU"};
  Param<std::int64_t> steps{
      *this, "steps", {.value = 0, .min = 0, .unit = "steps", .help = "optimiser steps; 0: until the data ends"}};
  Param<std::int64_t> seed{*this, "seed", {.value = 0, .min = 0, .help = "of every random choice of the run"}};
  Param<std::int64_t> checkpoint_every{
      *this,
      "checkpoint.every",
      {.value = 0, .min = 0, .unit = "steps", .help = "a checkpoint each so many steps; 0: only at the end"}};
  Param<std::int64_t> keep_last{
      *this, "checkpoint.keep_last", {.value = 2, .min = 1, .help = "newest checkpoints kept"}};
  Param<std::int64_t> keep_best{
      *this, "checkpoint.keep_best", {.value = 0, .min = 0, .help = "best checkpoints kept beside the newest"}};
  Param<double> stall_timeout_s{
      *this,
      "stall_timeout_s",
      {.value = 3600.0, .min = 0.0, .unit = "s", .help = "a firing that lasts longer ends the run; 0: none does"}};
  Param<double> stop_timeout_s{
      *this,
      "stop_timeout_s",
      {.value = 30.0, .min = 0.0, .unit = "s", .help = "what a source may take to return after Ctrl-C; 0: for ever"}};
  Param<std::optional<std::int64_t>> order_seed{
      *this,
      "order_seed",
      {.min = 0, .help = "one worker runs all stages, in an order drawn by this; none: as many as there are stages"}};
};

/// The values of a graph's "run" section.
struct RunSettings {
  std::string device = "auto";     // auto, cpu, cuda:N or sim:N
  std::string precision = "auto";  // auto, fp32 or bf16
  std::int64_t steps = 0;          // 0: until the sources end
  std::uint64_t seed = 0;
  std::int64_t checkpoint_every = 0;  // steps; 0: only at the end
  std::int64_t keep_last = 2;
  std::int64_t keep_best = 0;
  double stall_timeout_s = 0.0;               // 0: never
  double stop_timeout_s = 0.0;                // 0: never
  std::optional<std::uint64_t> order_seed{};  // none: oneTBB's workers
  bool evaluate = false;                      // the graph has an object "run.evaluate"
};

RunSettings settings_of(const RunParams& params, bool evaluate);

/// Whether a word is "cpu", "cuda:N" or "sim:N"; "auto" too where `allow_auto`.
bool is_device_name(const std::string& word, bool allow_auto);

}  // namespace dflash
