// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/core/item_fields.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage.h"

namespace dflash {

template <>
struct ItemType<std::int64_t> {
  static constexpr std::string_view kName = "number";
  static std::int64_t bytes(const std::int64_t&) { return 8; }
  static std::int64_t initial() { return 0; }
  static std::string serialize(const std::int64_t& value) {
    ItemWriter writer{kName};
    writer.set("value", value);
    return writer.take();
  }
  static std::int64_t deserialize(std::string_view bytes, const std::string&) {
    return ItemReader{bytes, kName}.number("value");
  }
};

/// Counts from 0 to `count` - 1; remembers where it stands.
struct NumberSource final : Source<std::int64_t> {
  explicit NumberSource(std::int64_t numbers) : Source{"out", "numbers"}, count{numbers} {}
  static StageInfo info() { return {.type = "number_source", .summary = "counts"}; }
  std::optional<std::int64_t> next(Firing&) override {
    return position < count ? std::optional{position++} : std::nullopt;
  }
  void save(Snapshot& snapshot) const override { snapshot.values["position"] = position; }
  void load(const Snapshot& snapshot) override { position = snapshot.values.at("position").get<std::int64_t>(); }
  std::int64_t count;
  std::int64_t position = 0;
};

/// Keeps all that it takes.
struct NumberSink final : Stage {
  static StageInfo info() { return {.type = "number_sink", .summary = "keeps numbers"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  void fire(Firing& firing) override { seen.push_back(firing.take(in)); }
  std::vector<std::int64_t> seen;
};

/// Adds one number of each input.
struct NumberJoin final : Stage {
  static StageInfo info() { return {.type = "number_join", .summary = "adds two numbers"}; }
  Input<std::int64_t> left{*this, "left", "numbers"};
  Input<std::int64_t> right{*this, "right", "numbers"};
  Output<std::int64_t> out{*this, "out", "sums"};
  void fire(Firing& firing) override { firing.emit(out, firing.take(left) + firing.take(right)); }
};

/// Emits the sum of each `size` numbers, and at the end the sum of the rest; its partial sum is its state.
struct NumberPacker final : Stage {
  explicit NumberPacker(std::int64_t numbers) : size{numbers} {}
  static StageInfo info() { return {.type = "number_packer", .summary = "sums groups of numbers"}; }
  Input<std::int64_t> in{*this, "in", "numbers"};
  Output<std::int64_t> out{*this, "out", "sums"};
  void fire(Firing& firing) override {
    sum += firing.take(in);
    if (++held == size) {
      flush(firing);
    }
  }
  void drain(Firing& firing) override {
    if (held > 0) {
      flush(firing);
    }
  }
  void save(Snapshot& snapshot) const override { snapshot.values = {{"sum", sum}, {"held", held}}; }
  void load(const Snapshot& snapshot) override {
    sum = snapshot.values.at("sum").get<std::int64_t>();
    held = snapshot.values.at("held").get<std::int64_t>();
  }
  void flush(Firing& firing) {
    firing.emit(out, sum);
    sum = 0;
    held = 0;
  }
  std::int64_t size;
  std::int64_t sum = 0;
  std::int64_t held = 0;
};

}  // namespace dflash
