// SPDX-License-Identifier: Apache-2.0
#include "stages/catalog.h"

#include "stages/batch/token_packer.h"
#include "stages/data/chat_jsonl.h"
#include "stages/data/plain_text.h"
#include "stages/data/synthetic.h"
#include "stages/drafter/drafter_step.h"
#include "stages/evaluate/evaluate_drafter.h"
#include "stages/extract/extract_features.h"
#include "stages/generate/generate_answers.h"
#include "stages/generate/jsonl_writer.h"
#include "stages/pack/block_packer.h"
#include "stages/postprocess/postprocess.h"
#include "stages/prepare/jsonl_lines.h"
#include "stages/prepare/shard_writer.h"
#include "stages/prepare/token_shards.h"
#include "stages/prepare/tokenize_chats.h"
#include "stages/queue/hidden_state_queue.h"
#include "stages/target/target_forward.h"
#include "stages/target/target_step.h"

namespace dflash {

Catalog stage_catalog() {
  Catalog catalog;
  catalog.add<ChatJsonl>();
  catalog.add<PlainText>();
  catalog.add<Synthetic>();
  catalog.add<TokenPacker>();
  catalog.add<TargetForward>();
  catalog.add<ExtractFeatures>();
  catalog.add<BlockPacker>();
  catalog.add<HiddenStateQueue>();
  catalog.add<DrafterStep>();
  catalog.add<Postprocess>();
  catalog.add<TargetStep>();
  catalog.add<GenerateAnswers>();
  catalog.add<JsonlWriter>();
  catalog.add<JsonlLines>();
  catalog.add<TokenizeChats>();
  catalog.add<ShardWriter>();
  catalog.add<TokenShards>();
  catalog.add<EvaluateDrafter>();
  return catalog;
}

}  // namespace dflash
