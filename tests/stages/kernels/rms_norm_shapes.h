// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace dflash {

/// Rows and numbers per row that tests compare and benchmarks time.
struct RmsNormShape {
  std::int64_t num_rows;
  std::int64_t width;
};

/// Shapes at the edges of the kernel's choices: no row, one number, rows of no whole pack, of half a warp's packs and
/// beyond.
inline constexpr std::array kRmsNormEdgeShapes{
    RmsNormShape{0, 64},   RmsNormShape{1, 1},    RmsNormShape{3, 7},     RmsNormShape{5, 33},  RmsNormShape{1, 4},
    RmsNormShape{17, 8},   RmsNormShape{129, 64}, RmsNormShape{63, 128},  RmsNormShape{9, 136}, RmsNormShape{33, 256},
    RmsNormShape{2, 2048}, RmsNormShape{7, 4096}, RmsNormShape{70000, 16}};

/// Shapes of real models: query and key heads, hidden states of 1.7 and 8 billion parameters.
inline constexpr std::array kRmsNormModelShapes{RmsNormShape{262144, 128}, RmsNormShape{8192, 2048},
                                                RmsNormShape{8192, 4096}};

}  // namespace dflash
