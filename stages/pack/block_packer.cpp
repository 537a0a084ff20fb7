// SPDX-License-Identifier: Apache-2.0
#include "stages/pack/block_packer.h"

#include "stages/models/anchor_sampling.h"
#include "stages/models/attention_mask.h"
#include "stages/session/needed_models.h"

namespace dflash {
namespace {

std::vector<PackDocument> documents_of(const TokenPack& pack) {
  std::vector<PackDocument> documents;
  documents.reserve(pack.documents.size());
  for (const PackedDocument& document : pack.documents) {
    documents.push_back({.row = static_cast<std::uint64_t>(document.row_id),
                         .begin = document.begin,
                         .length = document.end - document.begin,
                         .epoch = static_cast<std::uint64_t>(document.epoch)});
  }
  return documents;
}

}  // namespace

void BlockPacker::check(StageCheck& check) const { (void)needed_drafter(check); }

void BlockPacker::open(const StageEnv& env) {
  seed_ = env.seed;
  device_ = env.device;
  config_ = &env.resources->get<Models>().drafter_config();
}

void BlockPacker::fire(Firing& firing) {
  FeaturePack taken = firing.take(features);
  const std::vector<PackDocument> documents = documents_of(taken.pack);
  std::vector<std::int64_t> anchors =
      sample_anchors(taken.pack.host_loss_mask, documents,
                     {.num_anchors = num_anchors(), .per_document = anchors_per_document(), .seed = seed_});
  if (anchors.empty()) {
    firing.count("packs_without_anchor", 1);
    return;
  }
  firing.count("anchors", static_cast<std::int64_t>(anchors.size()));
  const PackTokens tokens{.ids = taken.pack.host_ids,
                          .loss_mask = taken.pack.host_loss_mask,
                          .documents = documents,
                          .document_ids = taken.pack.document_ids};
  BlockLayout layout = to_device(
      lay_out_blocks(
          tokens, std::move(anchors),
          {.num_blocks = num_anchors(), .block_size = config_->block_size, .mask_token_id = config_->mask_token_id}),
      at::Device{device_});
  if (mask() == Mask::kDense) {
    add_dense_masks(layout);
  }
  firing.emit(batches,
              {std::move(taken.pack), std::move(taken.features), std::move(taken.final_hidden), std::move(layout)});
}

void BlockPacker::add_dense_masks(BlockLayout& layout) const {
  if (config_->has(LayerKind::kFull)) {
    layout.dense_full = dense_mask(layout, visibility_rule(*config_, LayerKind::kFull));
  }
  if (config_->has(LayerKind::kSliding)) {
    layout.dense_sliding = dense_mask(layout, visibility_rule(*config_, LayerKind::kSliding));
  }
}

}  // namespace dflash
