// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dflash {

/// Which bytes of the text a token stands for. Where the normaliser changed a part of the text, a border inside of that
/// part lies at its begin. Bytes that have no token in the vocabulary count to a neighbour in their piece.
struct TokenSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

}  // namespace dflash
