// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/json_row.h"

#include <utility>

#include "framework/core/item_fields.h"

namespace dflash {

std::string ItemType<JsonRows>::serialize(const JsonRows& rows) {
  std::vector<std::string> reasons;
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  for (const auto& [reason, left_out] : rows.left_out) {
    reasons.push_back(reason);
    words.push_back(left_out.words);
    counts.push_back(left_out.rows);
  }
  ItemWriter writer{kName};
  writer.add_texts("lines", rows.lines);
  writer.add_texts("left_out.reasons", reasons);
  writer.add_texts("left_out.words", words);
  writer.add("left_out.rows", counts);
  return writer.take();
}

JsonRows ItemType<JsonRows>::deserialize(std::string_view bytes, const std::string&) {
  const ItemReader reader{bytes, kName};
  JsonRows rows{.lines = reader.texts("lines")};
  const std::vector<std::string> reasons = reader.texts("left_out.reasons");
  std::vector<std::string> words = reader.texts("left_out.words");
  const std::vector<std::int64_t> counts = reader.numbers("left_out.rows");
  reader.check(words.size() == reasons.size() && counts.size() == reasons.size(),
               "the lists of what was left out are not as many");
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    rows.left_out[reasons[i]] = {.rows = counts[i], .words = std::move(words[i])};
  }
  return rows;
}

}  // namespace dflash
