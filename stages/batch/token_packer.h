// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "framework/core/stage.h"
#include "stages/batch/token_pack.h"
#include "stages/data/document.h"
#include "stages/models/document_ids.h"

namespace dflash {

/// Lays documents end to end into packs of at most `pack_length` tokens, in the order in which they come. A pack leaves
/// when the next document does not fit, or when the documents have ended. Fails on a document longer than a pack.
class TokenPacker final : public Stage {
 public:
  enum class Mode { kPacked, kPerDocument, kBuckets };

  static StageInfo info() {
    return {.type = "token_packer",
            .summary = "lays documents end to end into packs, or pads them to buckets",
            .uses_device = true};
  }

  Input<Document> documents{*this, "documents", "tokenised rows with their loss mask"};
  Output<TokenPack> packs{*this, "packs", "packs of whole documents"};

  Choice<Mode> mode{
      *this,
      "mode",
      Mode::kPacked,
      {{"packed", Mode::kPacked}, {"per_document", Mode::kPerDocument}, {"buckets", Mode::kBuckets}},
      "packed: as many documents as fit; per_document: one; buckets: one, padded to the next of `buckets`"};
  Param<std::int64_t> pack_length{
      *this,
      "pack_length",
      {.value = 2048, .min = 8, .max = 1 << 20, .unit = "tokens", .help = "the most that a pack holds"}};
  Param<bool> pad{*this, "pad", {.value = false, .help = "pad every pack to pack_length, for fixed shapes"}};
  Param<std::vector<std::int64_t>> buckets{
      *this,
      "buckets",
      {.value = {256, 512, 1024, 2048, 4096}, .unit = "tokens", .help = "lengths of mode = buckets, ascending"}};
  Choice<DocumentIdsMethod> document_ids_method{*this,
                                                "document_ids",
                                                DocumentIdsMethod::kHost,
                                                {{"repeat_interleave", DocumentIdsMethod::kRepeatInterleave},
                                                 {"searchsorted", DocumentIdsMethod::kSearchsorted},
                                                 {"host", DocumentIdsMethod::kHost}},
                                                "how the document id of each row is computed; all give the same ids"};

  void check(StageCheck& check) const override;
  void open(const StageEnv& env) override;
  void fire(Firing& firing) override;
  void drain(Firing& firing) override;
  void save(Snapshot& snapshot) const override;
  void load(const Snapshot& snapshot) override;

 private:
  /// The most tokens that a pack holds.
  [[nodiscard]] std::int64_t limit() const;
  [[nodiscard]] std::int64_t padded_rows(std::int64_t tokens) const;
  void emit_pending(Firing& firing);

  std::string device_;
  std::vector<Document> pending_;
  std::int64_t pending_tokens_ = 0;
};

/// Makes a pack of `rows` rows from documents whose lengths sum to at most `rows`.
TokenPack make_token_pack(const std::vector<Document>& documents, std::int64_t rows, DocumentIdsMethod method,
                          const std::string& device);

}  // namespace dflash
