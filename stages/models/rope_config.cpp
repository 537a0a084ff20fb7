// SPDX-License-Identifier: Apache-2.0
#include "stages/models/rope_config.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

struct KindTraits {
  RopeKind kind;
  std::string_view name;
  std::vector<std::string> keys;  // besides those of all kinds
};

const std::array<KindTraits, 4>& kinds() {
  static const std::array<KindTraits, 4> kKinds{
      KindTraits{.kind = RopeKind::kDefault, .name = "default", .keys = {}},
      KindTraits{.kind = RopeKind::kLinear, .name = "linear", .keys = {"factor"}},
      KindTraits{.kind = RopeKind::kLlama3,
                 .name = "llama3",
                 .keys = {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"}},
      KindTraits{.kind = RopeKind::kYarn,
                 .name = "yarn",
                 .keys = {"factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow",
                          "mscale", "mscale_all_dim", "truncate"}}};
  return kKinds;
}

const KindTraits& traits_of(RopeKind kind) { return *std::ranges::find(kinds(), kind, &KindTraits::kind); }

/// Null where the kind is not supported, which is then a fault. Files of old call it `type`, some say both.
const KindTraits* read_kind(ConfigFields& fields) {
  const auto old_name = fields.text("type");
  const std::string name = fields.text("rope_type").value_or(old_name.value_or("default"));
  if (old_name.value_or(name) != name) {
    fields.add_fault(fmt::format("rope_type '{}' and type '{}' differ", name, *old_name));
  }
  const auto* known = std::ranges::find(kinds(), name, &KindTraits::name);
  if (known == kinds().end()) {
    fields.add_fault(fmt::format("rope_type '{}' is not supported (supported: {})", name, supported_rope_kinds()));
    return nullptr;
  }
  return known;
}

/// A key that the kind does not have is one that would be computed wrongly, or a slip.
void refuse_other_keys(const Json& object, const KindTraits& traits, ConfigFields& fields) {
  std::vector<std::string> known{"rope_type", "type", "rope_theta", "partial_rotary_factor"};
  known.insert(known.end(), traits.keys.begin(), traits.keys.end());
  for (const auto& [key, value] : object.items()) {
    if (!value.is_null() && std::ranges::find(known, key) == known.end()) {
      fields.add_fault(fmt::format("unknown key '{}' with rope_type '{}'{}", key, traits.name, suggestion(key, known)));
    }
  }
}

void check_constants(const RopeScaling& scaling, ConfigFields& fields) {
  if (scaling.factor < 1.0) {
    fields.add_fault(fmt::format("factor is {}, allowed: a number from 1", scaling.factor));
  }
  const bool has_both = fields.find("low_freq_factor") != nullptr && fields.find("high_freq_factor") != nullptr;
  if (has_both && scaling.high_freq_factor <= scaling.low_freq_factor) {
    fields.add_fault(fmt::format("high_freq_factor {} is not above low_freq_factor {}", scaling.high_freq_factor,
                                 scaling.low_freq_factor));
  }
  if (scaling.beta_fast < scaling.beta_slow) {
    fields.add_fault(fmt::format("beta_fast {} is below beta_slow {}", scaling.beta_fast, scaling.beta_slow));
  }
}

RopeScaling read_scaling(const KindTraits& traits, std::int64_t first_positions, ConfigFields& fields) {
  const bool is_llama3 = traits.kind == RopeKind::kLlama3;
  const bool is_yarn = traits.kind == RopeKind::kYarn;
  RopeScaling scaling{.kind = traits.kind};
  if (traits.kind == RopeKind::kDefault) {
    return scaling;
  }
  scaling.factor = fields.positive_number("factor");
  if (is_llama3 || is_yarn) {
    scaling.original_positions =
        fields.optional_integer("original_max_position_embeddings", 1).value_or(first_positions);
  }
  if (is_llama3) {
    scaling.low_freq_factor = fields.positive_number("low_freq_factor");
    scaling.high_freq_factor = fields.positive_number("high_freq_factor");
  }
  if (is_yarn) {
    scaling.beta_fast = fields.optional_positive_number("beta_fast").value_or(scaling.beta_fast);
    scaling.beta_slow = fields.optional_positive_number("beta_slow").value_or(scaling.beta_slow);
    scaling.truncate = fields.boolean("truncate", true);
    scaling.attention_factor = fields.optional_positive_number("attention_factor");
    scaling.mscale = fields.optional_positive_number("mscale");
    scaling.mscale_all_dim = fields.optional_positive_number("mscale_all_dim");
  }
  check_constants(scaling, fields);
  return scaling;
}

void refuse_partial_rotation(ConfigFields& fields) {
  if (const auto part = fields.optional_positive_number("partial_rotary_factor"); part.value_or(1.0) != 1.0) {
    fields.add_fault(fmt::format("partial_rotary_factor {} is not supported (only 1)", *part));
  }
}

struct RopeObject {
  std::optional<double> theta;
  std::optional<RopeScaling> scaling;
};

RopeObject read_object(ConfigFields& fields, const std::string& key, std::int64_t first_positions) {
  const Json* object = fields.find(key);
  if (object == nullptr) {
    return {};
  }
  if (!object->is_object()) {
    fields.add_fault(fmt::format("{} is {}, allowed: an object", key, shown_value(*object)));
    return {.theta = 1.0, .scaling = {}};
  }
  ConfigFields inner(*object, key);
  RopeObject read{.theta = inner.optional_positive_number("rope_theta"), .scaling = {}};
  refuse_partial_rotation(inner);
  if (const KindTraits* traits = read_kind(inner)) {
    refuse_other_keys(*object, *traits, inner);
    read.scaling = read_scaling(*traits, first_positions, inner);
  }
  fields.add_faults_of(inner);
  return read;
}

double one_theta(ConfigFields& fields, const RopeObject& old, const RopeObject& current, const RopeDefaults& defaults) {
  const std::optional<double> outside = fields.optional_positive_number("rope_theta");
  std::vector<double> found;
  for (const std::optional<double>& theta : {outside, old.theta, current.theta}) {
    if (theta) {
      found.push_back(*theta);
    }
  }
  if (found.empty() && !defaults.theta && fields.find("rope_theta") == nullptr) {
    fields.add_fault("rope_theta is missing");
  }
  if (std::ranges::adjacent_find(found, std::not_equal_to<>()) != found.end()) {
    fields.add_fault(fmt::format("rope_theta differs between its places: {}", fmt::join(found, ", ")));
  }
  return found.empty() ? defaults.theta.value_or(2.0) : found.front();
}

Json scaling_object(const RopeScaling& scaling) {
  const KindTraits& traits = traits_of(scaling.kind);
  Json object{{"rope_type", traits.name}};
  const auto put = [&](const char* key, const std::optional<Json>& value) {
    if (value && std::ranges::find(traits.keys, key) != traits.keys.end()) {
      object[key] = *value;
    }
  };
  const auto optional = [](const std::optional<double>& value) {
    return value ? std::optional<Json>{*value} : std::nullopt;
  };
  put("factor", scaling.factor);
  put("original_max_position_embeddings", scaling.original_positions);
  put("low_freq_factor", scaling.low_freq_factor);
  put("high_freq_factor", scaling.high_freq_factor);
  put("beta_fast", scaling.beta_fast);
  put("beta_slow", scaling.beta_slow);
  put("truncate", scaling.truncate);
  put("attention_factor", optional(scaling.attention_factor));
  put("mscale", optional(scaling.mscale));
  put("mscale_all_dim", optional(scaling.mscale_all_dim));
  return object;
}

}  // namespace

RopeConfig read_rope_config(ConfigFields& fields, const RopeDefaults& defaults) {
  refuse_partial_rotation(fields);
  const auto outside = fields.optional_integer("original_max_position_embeddings", 1);
  const std::int64_t first_positions = outside.value_or(defaults.max_positions);
  const RopeObject old = read_object(fields, "rope_scaling", first_positions);
  const RopeObject current = read_object(fields, "rope_parameters", first_positions);
  RopeConfig rope{.theta = one_theta(fields, old, current, defaults),
                  .scaling = current.scaling.value_or(old.scaling.value_or(RopeScaling{}))};
  if (old.scaling && current.scaling && *old.scaling != *current.scaling) {
    fields.add_fault("rope_scaling and rope_parameters differ");
  }
  if (rope.scaling.original_positions > 0 &&
      outside.value_or(rope.scaling.original_positions) != rope.scaling.original_positions) {
    fields.add_fault("original_max_position_embeddings differs between its places");
  }
  if (rope.scaling.kind == RopeKind::kYarn && rope.theta <= 1.0) {
    fields.add_fault(fmt::format("rope_theta is {}, allowed with rope_type 'yarn': a number above 1", rope.theta));
  }
  return rope;
}

void write_rope_config(const RopeConfig& rope, Json& config) {
  Json parameters = scaling_object(rope.scaling);
  if (rope.scaling.kind != RopeKind::kDefault) {
    config["rope_scaling"] = parameters;
  }
  parameters["rope_theta"] = rope.theta;
  config["rope_theta"] = rope.theta;
  config["rope_parameters"] = std::move(parameters);
}

std::string supported_rope_kinds() {
  std::vector<std::string_view> names;
  std::ranges::transform(kinds(), std::back_inserter(names), &KindTraits::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace dflash
