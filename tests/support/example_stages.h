// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/core/catalog.h"
#include "framework/core/stage.h"
#include "framework/core/stage_check.h"

namespace dflash {

struct ExampleWord {
  std::string text;
};

template <>
struct ItemType<ExampleWord> {
  static constexpr std::string_view kName = "word";
};

struct ExampleNumber {
  std::int64_t value = 0;
};

template <>
struct ItemType<ExampleNumber> {
  static constexpr std::string_view kName = "number";
  static std::int64_t bytes(const ExampleNumber&) { return 8; }
};

/// Makes numbers. Cannot count to 13.
struct ExampleCounter final : Source<ExampleNumber> {
  ExampleCounter() : Source{"numbers", "counted numbers"} {}
  static StageInfo info() { return {.type = "counter", .summary = "Counts up to a limit."}; }
  Param<std::int64_t> limit{
      *this, "limit", {.value = 10, .min = 1, .max = 100, .unit = "numbers", .help = "where to end"}};
  Param<std::string> path{*this, "path", {.help = "a file of numbers"}};
  Param<double> rate{*this, "rate", {.value = 1.5}};
  void check(StageCheck& check) const override {
    if (limit() == 13) {
      check.add(limit, "found 13, allowed: a number of good omen");
    }
  }
  std::optional<ExampleNumber> next(Firing&) override { return std::nullopt; }
};

/// Makes numbers too, with fewer parameters.
struct ExampleDice final : Source<ExampleNumber> {
  ExampleDice() : Source{"numbers", "thrown numbers"} {}
  static StageInfo info() { return {.type = "dice", .summary = "Throws dice."}; }
  Param<std::int64_t> limit{*this, "limit", {.value = 10}};
  std::optional<ExampleNumber> next(Firing&) override { return std::nullopt; }
};

/// Makes numbers of a file, which must be named.
struct ExampleReader final : Source<ExampleNumber> {
  ExampleReader() : Source{"numbers", "read numbers"} {}
  static StageInfo info() { return {.type = "reader", .summary = "Reads numbers."}; }
  Param<std::string> path{*this, "file.path", {.required = true, .help = "a file of numbers"}};
  std::optional<ExampleNumber> next(Firing&) override { return std::nullopt; }
};

/// Takes and makes numbers; has nested parameters.
struct ExampleScaler final : Transform<ExampleNumber, ExampleNumber> {
  enum class Mode { kSplit, kConcat };
  ExampleScaler() : Transform{"in", "numbers", "out", "scaled numbers"} {}
  static StageInfo info() { return {.type = "scaler", .summary = "Scales numbers.", .uses_device = true}; }
  Choice<Mode> mode{*this, "mode", Mode::kConcat, {{"split", Mode::kSplit}, {"concat", Mode::kConcat}}, "how"};
  Param<std::string> loss_type{*this, "loss.type", {.value = "ce"}};
  Param<std::int64_t> loss_gamma{*this, "loss.gamma", {.value = 4, .min = 1}};
  Param<std::vector<std::int64_t>> taps{*this, "taps", {.value = {}, .help = "which"}};
  ExampleNumber transform(ExampleNumber number, Firing&) override { return number; }
};

/// Makes words of numbers; drives the steps.
struct ExampleSpeller final : Transform<ExampleNumber, ExampleWord> {
  ExampleSpeller() : Transform{"in", "numbers", "words", "spelled numbers"} {}
  static StageInfo info() { return {.type = "speller", .summary = "Spells numbers.", .drives_steps = true}; }
  ExampleWord transform(ExampleNumber, Firing&) override { return {}; }
};

/// Takes words.
struct ExamplePrinter final : Stage {
  static StageInfo info() { return {.type = "printer", .summary = "Prints words."}; }
  Input<ExampleWord> words{*this, "words", "what is printed"};
  void fire(Firing& firing) override { (void)firing.take(words); }
};

/// Adds what comes from two sides.
struct ExampleAdder final : Stage {
  static StageInfo info() { return {.type = "adder", .summary = "Adds numbers."}; }
  Input<ExampleNumber> left{*this, "left", "numbers"};
  Input<ExampleNumber> right{*this, "right", "numbers"};
  Output<ExampleNumber> out{*this, "out", "sums"};
  void fire(Firing& firing) override { firing.emit(out, firing.take(left)), (void)firing.take(right); }
};

struct ExampleModel : ParamSet {
  Param<std::string> path{*this, "path", {.help = "where it is"}};
  Param<std::optional<std::int64_t>> block_size{*this, "block_size", {.min = 2}};
};

struct ExampleEvaluation : ParamSet {
  Param<std::int64_t> prompts{*this, "prompts", {.value = 64, .min = 1}};
};

inline Catalog example_catalog() {
  Catalog catalog;
  catalog.add<ExampleCounter>();
  catalog.add<ExampleDice>();
  catalog.add<ExampleScaler>();
  catalog.add<ExampleSpeller>();
  catalog.add<ExamplePrinter>();
  catalog.add<ExampleAdder>();
  catalog.add<ExampleReader>();
  return catalog;
}

/// A graph with no mistake: counter, scaler, speller, printer.
inline constexpr std::string_view kExampleGraph = R"({
  // Notes may stand anywhere.
  "schema": "dflash-graph/1",
  "name": "example",
  "vars": { "limit": 20 },
  "models": { "target": { "path": "a/b" } },
  "stages": {
    "data":  { "type": "counter", "params": { "limit": "${limit}", "path": "x${limit}.txt" } },
    "scale": { "type": "scaler", "params": { "mode": "split", "loss": { "gamma": 7 } } },
    "spell": { "type": "speller" },
    "print": { "type": "printer" }
  },
  "edges": [
    "data.numbers -> scale.in",
    { "from": "scale.out", "to": "spell.in", "capacity": { "items": 8, "bytes": "2KiB" } },
    "spell.words  -> print.words"
  ],
  "run": { "device": "cpu", "steps": 30, "seed": 7, "checkpoint": { "every": 10 }, "evaluate": { "prompts": 3 } }
}
)";

}  // namespace dflash
