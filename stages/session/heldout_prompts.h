// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "stages/data/text_codec.h"
#include "stages/evaluate/ngram_overlap.h"

namespace dflash {

/// A held-out conversation, cut where its last answer begins.
struct HeldoutPrompt {
  std::vector<std::int64_t> ids;     // ends where the answer begins
  std::vector<std::int64_t> answer;  // as the file has it, end-of-turn token included; empty where there is none
  std::string text;                  // the last user turn
  std::string tag;                   // a group that is measured apart; may be empty
};

/// Reads the first `count` different prompts of a JSONL file, or all where it has fewer. Throws UserError with the
/// place of a row that cannot be used.
std::vector<HeldoutPrompt> read_heldout_prompts(const std::filesystem::path& path, const TextCodec& codec,
                                                std::int64_t count);

/// The 8-grams of all answers of a JSONL file of chats. Rows that training would reject are left out.
NgramSet answer_ngrams(const std::filesystem::path& path, const TextCodec& codec);

/// Reads the first `count` paragraphs of a text file as chats (first sentence, rest) or, of a JSONL file, its chats:
/// ids of whole rows of at most `max_length` tokens, for a target's held-out loss.
std::vector<std::vector<std::int64_t>> read_heldout_documents(const std::filesystem::path& path, const TextCodec& codec,
                                                              std::int64_t count, std::int64_t max_length);

}  // namespace dflash
