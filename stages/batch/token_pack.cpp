// SPDX-License-Identifier: Apache-2.0
#include "stages/batch/token_pack.h"

#include "stages/models/tensor_fields.h"

namespace dflash {

void write_pack(ItemWriter& writer, const TokenPack& pack) {
  std::vector<std::int64_t> documents;  // four numbers each
  std::vector<std::string> tags;
  for (const PackedDocument& document : pack.documents) {
    documents.insert(documents.end(), {document.row_id, document.epoch, document.begin, document.end});
    tags.push_back(document.tag);
  }
  writer.add("pack.documents", documents);
  writer.add_texts("pack.tags", tags);
  writer.add("pack.host_ids", pack.host_ids);
  writer.add("pack.host_loss_mask", pack.host_loss_mask);
  writer.set("pack.tokens", pack.tokens);
  add_tensor(writer, "pack.ids", pack.ids);
  add_tensor(writer, "pack.positions", pack.positions);
  add_tensor(writer, "pack.document_ids", pack.document_ids);
}

namespace {

std::vector<PackedDocument> read_documents(const ItemReader& reader, std::int64_t rows) {
  constexpr std::size_t kNumbers = 4;
  const std::vector<std::int64_t> numbers = reader.numbers("pack.documents");
  std::vector<std::string> tags = reader.texts("pack.tags");
  reader.check(numbers.size() == tags.size() * kNumbers, "its documents and their tags are not as many");
  std::vector<PackedDocument> documents;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const std::int64_t* at = numbers.data() + i * kNumbers;
    documents.push_back({.row_id = at[0], .epoch = at[1], .begin = at[2], .end = at[3], .tag = std::move(tags[i])});
    reader.check(0 <= at[2] && at[2] <= at[3] && at[3] <= rows, "a document lies outside the pack");
  }
  return documents;
}

}  // namespace

TokenPack read_pack(const ItemReader& reader, at::Device device) {
  TokenPack pack;
  pack.host_ids = reader.numbers("pack.host_ids");
  pack.host_loss_mask = reader.bytes("pack.host_loss_mask");
  const std::int64_t rows = pack.rows();
  reader.check(std::ssize(pack.host_loss_mask) == rows, "its loss mask is not of all rows");
  pack.documents = read_documents(reader, rows);
  pack.tokens = reader.number("pack.tokens");
  reader.check(0 <= pack.tokens && pack.tokens <= rows, "it has more tokens than rows");
  pack.ids = read_list(reader, "pack.ids", rows, device);
  pack.positions = read_list(reader, "pack.positions", rows, device);
  pack.document_ids = read_list(reader, "pack.document_ids", rows, device);
  return pack;
}

std::string ItemType<TokenPack>::serialize(const TokenPack& pack) {
  ItemWriter writer{kName};
  write_pack(writer, pack);
  return writer.take();
}

TokenPack ItemType<TokenPack>::deserialize(std::string_view bytes, const std::string& device) {
  return read_pack(ItemReader{bytes, kName}, at::Device{device});
}

}  // namespace dflash
