// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stages/data/byte_level.h"

namespace dflash {

/// A `tokenizer.json` with the 256 bytes (ids 0 to 255), then `tokens`, the given merges, and no regular expression.
inline nlohmann::json byte_tokenizer_json(const std::vector<std::string>& tokens = {},
                                          const std::vector<std::string>& merges = {}) {
  nlohmann::json vocab = nlohmann::json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocab[byte_level_character(static_cast<std::uint8_t>(byte))] = byte;
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    vocab[tokens[i]] = 256 + i;
  }
  return {{"added_tokens", nlohmann::json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
}

}  // namespace dflash
