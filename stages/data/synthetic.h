// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "framework/core/stage.h"
#include "stages/data/document.h"

namespace dflash {

/// Documents of random ids, for speed work. Every number depends on (seed, row) alone.
class Synthetic final : public Source<Document> {
 public:
  enum class Length { kFixed, kUniform, kNormal };

  static StageInfo info() { return {.type = "synthetic", .summary = "documents of random ids, for speed work"}; }

  Choice<Length> length{
      *this,
      "length",
      Length::kUniform,
      {{"fixed", Length::kFixed}, {"uniform", Length::kUniform}, {"normal", Length::kNormal}},
      "how lengths are drawn: mean_length always, from min_length to max_length, or around mean_length"};
  Param<std::int64_t> min_length{*this, "min_length", {.value = 64, .min = 2, .unit = "tokens", .help = "shortest"}};
  Param<std::int64_t> max_length{*this, "max_length", {.value = 512, .min = 2, .unit = "tokens", .help = "longest"}};
  Param<std::int64_t> mean_length{
      *this, "mean_length", {.value = 256, .min = 2, .unit = "tokens", .help = "of fixed and normal lengths"}};
  Param<double> deviation{
      *this, "deviation", {.value = 64, .min = 0.0, .unit = "tokens", .help = "standard deviation of normal lengths"}};
  Param<std::optional<std::int64_t>> vocab_size{
      *this, "vocab_size", {.min = 2, .help = "ids are below this; without it, the target's vocabulary"}};
  Param<double> unsupervised_fraction{
      *this,
      "unsupervised_fraction",
      {.value = 0.0, .min = 0.0, .max = 1.0, .help = "of each document, from its begin, without loss"}};
  Param<std::int64_t> rows{*this, "rows", {.value = 0, .min = 0, .help = "documents in all; 0: endless"}};

  Synthetic() : Source{"documents", "random ids"} {}

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  std::optional<Document> next(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  [[nodiscard]] std::int64_t length_of(std::uint64_t row) const;

  std::uint64_t seed_ = 0;
  std::int64_t vocab_ = 0;
  std::int64_t row_ = 0;
};

}  // namespace dflash
