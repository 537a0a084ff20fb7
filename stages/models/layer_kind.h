// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dflash {

/// What a layer's attention sees of the tokens before: all, or the last of them.
enum class LayerKind { kFull, kSliding };

/// The word of a kind in `layer_types` of a `config.json`.
constexpr std::string_view layer_type(LayerKind kind) {
  return kind == LayerKind::kSliding ? "sliding_attention" : "full_attention";
}

}  // namespace dflash
