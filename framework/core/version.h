// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dflash {

/// The version of this tree. CMakeLists.txt reads it from this line.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace dflash
