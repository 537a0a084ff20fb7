// SPDX-License-Identifier: Apache-2.0
#include "stages/batch/token_packer.h"

#include <algorithm>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"
#include "framework/core/stage_check.h"
#include "stages/models/device_copy.h"

namespace dflash {

TokenPack make_token_pack(const std::vector<Document>& documents, std::int64_t rows, DocumentIdsMethod method,
                          const std::string& device) {
  TokenPack pack;
  pack.host_ids.reserve(rows);
  pack.host_loss_mask.reserve(rows);
  std::vector<std::int64_t> positions(rows, 0);
  std::vector<std::int64_t> lengths;
  for (const Document& document : documents) {
    const std::int64_t begin = pack.tokens;
    lengths.push_back(static_cast<std::int64_t>(document.ids.size()));
    const std::int64_t end = begin + lengths.back();
    DFLASH_CHECK(end <= rows, "documents of {} tokens in a pack of {}", end, rows);
    pack.host_ids.insert(pack.host_ids.end(), document.ids.begin(), document.ids.end());
    pack.host_loss_mask.insert(pack.host_loss_mask.end(), document.loss_mask.begin(), document.loss_mask.end());
    for (std::int64_t row = begin; row < end; ++row) {
      positions[row] = row - begin;
    }
    pack.documents.push_back({document.row_id, document.epoch, begin, end, document.tag});
    pack.tokens = end;
  }
  pack.host_ids.resize(rows, 0);
  pack.host_loss_mask.resize(rows, 0);
  const at::Device where{device};
  pack.ids = to_device(at::tensor(pack.host_ids, at::kLong), where);
  pack.positions = to_device(at::tensor(positions, at::kLong), where);
  pack.document_ids = document_ids(lengths, rows, method, where);
  return pack;
}

void TokenPacker::check(StageCheck& check) const {
  if (mode() == Mode::kBuckets && buckets().empty()) {
    check.add(buckets, "found [], allowed: at least one length where mode is buckets");
  }
  check.require_ascending(buckets);
  for (const Graph::Vertex* vertex : check.upstream()) {
    const ParamBase* longest = vertex->stage->find_param("max_length");
    if (longest != nullptr && limit() > 0 && longest->value_json() > limit()) {
      const ParamBase& bound = mode() == Mode::kBuckets ? static_cast<const ParamBase&>(buckets) : pack_length;
      check.add(bound, fmt::format("found {}, allowed: at least {}, the max_length of stage '{}'",
                                   bound.value_json().dump(), longest->value_json().dump(), vertex->name));
    }
  }
}

std::int64_t TokenPacker::limit() const {
  if (mode() == Mode::kBuckets) {
    return buckets().empty() ? 0 : buckets().back();
  }
  return pack_length();
}

void TokenPacker::open(const StageEnv& env) { device_ = env.device; }

void TokenPacker::fire(Firing& firing) {
  Document document = firing.take(documents);
  const auto length = static_cast<std::int64_t>(document.ids.size());
  // A stage in front that shortens one of them would shift the masks of all documents behind it.
  DFLASH_USER_CHECK(document.loss_mask.size() == document.ids.size(), "row {} has {} tokens, and a loss mask of {}",
                    document.row_id, length, document.loss_mask.size());
  DFLASH_USER_CHECK(
      length <= limit(),
      "row {} has {} tokens, more than a pack of {}; shorten rows with the data stage's max_length or raise {}",
      document.row_id, length, limit(), mode() == Mode::kBuckets ? "buckets" : "pack_length");
  if (!pending_.empty() && pending_tokens_ + length > limit()) {
    emit_pending(firing);
  }
  pending_tokens_ += length;
  pending_.push_back(std::move(document));
  if (mode() != Mode::kPacked) {
    emit_pending(firing);
  }
}

void TokenPacker::drain(Firing& firing) {
  if (!pending_.empty()) {
    emit_pending(firing);
  }
}

std::int64_t TokenPacker::padded_rows(std::int64_t tokens) const {
  if (mode() == Mode::kBuckets) {
    return *std::lower_bound(buckets().begin(), buckets().end(), tokens);
  }
  return pad() ? pack_length() : tokens;
}

void TokenPacker::emit_pending(Firing& firing) {
  const std::int64_t rows = padded_rows(pending_tokens_);
  firing.count("tokens", pending_tokens_);
  firing.count("padding", rows - pending_tokens_);
  firing.emit(packs, make_token_pack(pending_, rows, document_ids_method(), device_));
  pending_.clear();
  pending_tokens_ = 0;
}

void TokenPacker::save(Snapshot& snapshot) const {
  Json documents_json = Json::array();
  for (const Document& document : pending_) {
    documents_json.push_back({{"row_id", document.row_id},
                              {"epoch", document.epoch},
                              {"ids", document.ids},
                              {"loss_mask", document.loss_mask},
                              {"tag", document.tag}});
  }
  snapshot.values["pending"] = std::move(documents_json);
}

void TokenPacker::load(const Snapshot& snapshot) {
  pending_.clear();
  pending_tokens_ = 0;
  for (const Json& saved : snapshot.values.at("pending")) {
    Document document;
    document.row_id = saved.at("row_id");
    document.epoch = saved.at("epoch");
    document.ids = saved.at("ids").get<std::vector<std::int32_t>>();
    document.loss_mask = saved.at("loss_mask").get<std::vector<std::uint8_t>>();
    document.tag = saved.at("tag");
    pending_tokens_ += static_cast<std::int64_t>(document.ids.size());
    pending_.push_back(std::move(document));
  }
}

}  // namespace dflash
