// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "framework/core/stage.h"
#include "stages/postprocess/step_metrics.h"

namespace dflash {

/// Writes the scalars of each step as a line of `metrics.jsonl`. A slow disk slows the run;
/// no line is dropped. Sums the run up in the section "training" of the report: steps, tokens and losses of the whole
/// run, tokens_per_s of what was done since it was started or resumed. Ends the run where a scalar is not finite, since
/// it is the first to see it on the host.
class Postprocess final : public Stage {
 public:
  enum class Mode { kAsync, kInline };

  static StageInfo info() {
    return {.type = "postprocess", .summary = "writes one line of metrics per step, beside the step or in its way"};
  }

  Input<StepMetrics> metrics{*this, "metrics", "the scalars of one optimiser step"};

  Choice<Mode> mode{
      *this,
      "mode",
      Mode::kAsync,
      {{"async", Mode::kAsync}, {"inline", Mode::kInline}},
      "async: on a worker of its own, once the device has them; inline: on the step's lane, which waits for both"};

  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void close() noexcept override;
  [[nodiscard]] bool shares_producers_lane() const override { return mode() == Mode::kInline; }

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write_line(const Json& line);
  void publish(const StepMetrics& metrics, const std::vector<float>& values);

  RunLog* log_ = nullptr;
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::chrono::steady_clock::time_point last_;
  std::optional<std::chrono::steady_clock::time_point> first_;  // of this session, from which its rate is counted
  std::int64_t tokens_after_first_ = 0;
  std::int64_t tokens_ = 0;  // of the whole run
  Json loss_first_;          // likewise; null until known
};

}  // namespace dflash
