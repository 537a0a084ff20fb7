// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_file.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_spot.h"

namespace dflash {
namespace {

constexpr const char* kSweepSchema = "dflash-sweep/1";

/// "PATH=VALUE" for every member; `is_text`: only texts are allowed.
std::vector<std::string> assignments(const JsonSpot& spot, bool is_text, Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  if (!check_object(spot, is_text ? "an object of STAGE: \"TYPE\"" : "an object of PATH: VALUE", diagnostics)) {
    return texts;
  }
  for (const auto& [path, value] : spot.members()) {
    if (is_text && !value.value().is_string()) {
      diagnostics.add(value.place(), value.pointer(), found_text(value.value(), "a stage type"));
    } else {
      texts.push_back(path + "=" + (is_text ? value.value().get<std::string>() : value.value().dump()));
    }
  }
  return texts;
}

std::vector<std::string> files(const JsonSpot& spot, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::vector<JsonSpot> items = spot.value().is_array() ? spot.items() : std::vector<JsonSpot>{spot};
  for (const JsonSpot& item : items) {
    if (item.value().is_string()) {
      names.push_back(item.value().get<std::string>());
    } else {
      diagnostics.add(item.place(), item.pointer(), found_text(item.value(), "the name of an overlay file, or a list"));
    }
  }
  return names;
}

SweepAxis named_variants(const JsonSpot& variants, Diagnostics& diagnostics) {
  SweepAxis axis;
  if (!check_object(variants, "an object of variants", diagnostics)) {
    return axis;
  }
  for (const auto& [name, spot] : variants.members()) {
    SweepVariant variant{.name = name};
    if (name.empty()) {
      diagnostics.add(spot.key_place(), variants.pointer(), "found a variant without a name");
    }
    if (check_object(spot, "an object with set, swap and overlay", diagnostics)) {
      check_keys(spot, {"set", "swap", "overlay"}, diagnostics);
      const auto set = spot.find("set");
      const auto swap = spot.find("swap");
      const auto overlay = spot.find("overlay");
      variant.sets = set ? assignments(*set, false, diagnostics) : variant.sets;
      variant.swaps = swap ? assignments(*swap, true, diagnostics) : variant.swaps;
      variant.overlays = overlay ? files(*overlay, diagnostics) : variant.overlays;
    }
    axis.push_back(std::move(variant));
  }
  return axis;
}

SweepAxis listed_axis(const std::string& path, const JsonSpot& values, Diagnostics& diagnostics) {
  SweepAxis axis;
  if (!values.value().is_array() || values.value().empty()) {
    diagnostics.add(values.place(), values.pointer(), found_text(values.value(), "a list of values"));
  }
  for (const JsonSpot& item : values.items()) {
    const bool plain = item.value().is_string();
    SweepVariant variant = choice(path, plain ? item.value().get<std::string>() : item.value().dump());
    if (!variant.sets.empty()) {
      variant.sets = {path + "=" + item.value().dump()};  // a text stays one, whatever it looks like
    }
    axis.push_back(std::move(variant));
  }
  return axis;
}

}  // namespace

SweepFile read_sweep(const JsonText& text, Diagnostics& diagnostics) {
  SweepFile file;
  const JsonSpot root{text};
  if (!check_object(root, "an object", diagnostics)) {
    return file;
  }
  check_keys(root, {"schema", "variants", "vary", "zip"}, diagnostics);
  if (const auto schema = required_string(root, "schema", diagnostics); schema && *schema != kSweepSchema) {
    const JsonSpot spot = *root.find("schema");
    diagnostics.add(spot.place(), spot.pointer(), found_text(spot.value(), fmt::format("\"{}\"", kSweepSchema)));
  }
  if (const auto variants = root.find("variants")) {
    file.axes.push_back(named_variants(*variants, diagnostics));
  }
  if (const auto vary = root.find("vary"); vary && check_object(*vary, "an object of PATH: [VALUE]", diagnostics)) {
    for (const auto& [path, values] : vary->members()) {
      file.axes.push_back(listed_axis(path, values, diagnostics));
    }
  }
  if (const auto zip = root.find("zip")) {
    file.zip = zip->value().is_boolean() && zip->value().get<bool>();
    if (!zip->value().is_boolean()) {
      diagnostics.add(zip->place(), zip->pointer(), found_text(zip->value(), "true or false"));
    }
  }
  return file;
}

}  // namespace dflash
