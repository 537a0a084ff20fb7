// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/core/json.h"
#include "stages/models/config_fields.h"
#include "stages/models/rope_scaling.h"

namespace dflash {

struct RopeConfig {
  double theta = 1.0;
  RopeScaling scaling;
};

/// What a reader needs to know of the rest of a config.
struct RopeDefaults {
  std::optional<double> theta;     // where files of the family do not write it
  std::int64_t max_positions = 1;  // `max_position_embeddings`
};

/// Reads the rotary positions of a Hugging Face config of the old layout (`rope_theta`, `rope_scaling`), of the new
/// (`rope_parameters`), or of both where they agree. Adds faults for what contradicts itself, is unknown or is not
/// supported.
RopeConfig read_rope_config(ConfigFields& fields, const RopeDefaults& defaults);

/// Adds both layouts to a config. They are what `transformers` reads, old and new.
void write_rope_config(const RopeConfig& rope, Json& config);

/// "default, linear, llama3, yarn".
std::string supported_rope_kinds();

}  // namespace dflash
