// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "stages/data/chat_template.h"
#include "stages/data/tokenizer.h"

namespace dflash {

/// Stands for a special token that the target's folder does not name.
inline constexpr std::int32_t kNoToken = -1;

/// How the target turns conversations into ids: a resource that the data stages share.
struct TextCodec {
  Tokenizer tokenizer;
  ChatTemplate chat;
  std::int32_t mask_id = kNoToken;
  std::int32_t eos_id = kNoToken;      // ends an assistant's turn
  std::vector<std::int32_t> stop_ids;  // generation ends at any of them; the first is eos_id
  std::int32_t pad_id = kNoToken;
  std::int32_t vocab_rows = 0;     // rows of the target's embedding; the tokenizer's size where the folder does not say
  std::int64_t max_positions = 0;  // the longest row that the target takes, in tokens; 0: not known
};

/// Reads `tokenizer.json`, `tokenizer_config.json` (mask, eos and pad token), the chat template, `vocab_size` of
/// `config.json` and `eos_token_id` of `generation_config.json` from a Hugging Face model folder. Throws UserError with
/// the place of what is wrong or missing; a missing mask or pad token is kNoToken. A missing or unknown chat template
/// is only refused where a chat is to be rendered.
TextCodec load_text_codec(const std::filesystem::path& folder, Thinking thinking = Thinking::kUnset);

}  // namespace dflash
