// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dflash {

/// What a layer's attention sees of the tokens before: all, or the last of them.
enum class LayerKind { kFull, kSliding };

}  // namespace dflash
