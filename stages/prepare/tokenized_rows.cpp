// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/tokenized_rows.h"

#include "framework/core/item_fields.h"

namespace dflash {
namespace {

template <class Pairs>
void write_pairs(ItemWriter& writer, const std::string& name, const Pairs& pairs) {
  std::vector<std::string> first;
  std::vector<std::string> second;
  for (const auto& [key, value] : pairs) {
    first.push_back(key);
    second.push_back(value);
  }
  writer.add_texts(name + ".first", first);
  writer.add_texts(name + ".second", second);
}

std::vector<std::pair<std::string, std::string>> read_pairs(const ItemReader& reader, const std::string& name) {
  std::vector<std::string> first = reader.texts(name + ".first");
  std::vector<std::string> second = reader.texts(name + ".second");
  reader.check(first.size() == second.size(), "its pairs are not whole");
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < first.size(); ++i) {
    pairs.emplace_back(std::move(first[i]), std::move(second[i]));
  }
  return pairs;
}

}  // namespace

std::string ItemType<TokenizedRows>::serialize(const TokenizedRows& rows) {
  std::vector<std::string> documents;
  for (const Document& document : rows.documents) {
    documents.push_back(ItemType<Document>::serialize(document));
  }
  ItemWriter writer{kName};
  writer.add_text("file", rows.file);
  writer.set("rows", rows.rows);
  writer.set("without_anchor", rows.without_anchor);
  writer.add_texts("documents", documents);
  write_pairs(writer, "rejected", rows.rejected);
  write_pairs(writer, "settings", rows.settings);
  return writer.take();
}

TokenizedRows ItemType<TokenizedRows>::deserialize(std::string_view bytes, const std::string& device) {
  const ItemReader reader{bytes, kName};
  TokenizedRows rows;
  rows.file = reader.text("file");
  rows.rows = reader.number("rows");
  rows.without_anchor = reader.number("without_anchor");
  for (const std::string& document : reader.texts("documents")) {
    rows.documents.push_back(ItemType<Document>::deserialize(document, device));
  }
  rows.rejected = read_pairs(reader, "rejected");
  for (auto& [key, value] : read_pairs(reader, "settings")) {
    rows.settings[key] = value;
  }
  return rows;
}

}  // namespace dflash
