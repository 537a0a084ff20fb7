// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/item.h"
#include "stages/data/document.h"

namespace dflash {

/// What became of some rows of a file: documents, and those that cannot be used with the place and the reason.
struct TokenizedRows {
  std::string file;
  std::int64_t rows = 0;  // documents and rejected, and those without an anchor
  std::vector<Document> documents;
  std::vector<std::pair<std::string, std::string>> rejected;
  std::int64_t without_anchor = 0;
  std::map<std::string, std::string> settings;  // with which they were tokenised, for the shards' metadata
};

template <>
struct ItemType<TokenizedRows> {
  static constexpr std::string_view kName = "tokenized_rows";
  static std::int64_t bytes(const TokenizedRows& rows) {
    std::int64_t sum = sizeof(TokenizedRows);
    for (const Document& document : rows.documents) {
      sum += ItemType<Document>::bytes(document);
    }
    return sum;
  }
  static std::string serialize(const TokenizedRows& rows);
  static TokenizedRows deserialize(std::string_view bytes, const std::string& device);
};

}  // namespace dflash
