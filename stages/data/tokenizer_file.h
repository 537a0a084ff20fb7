// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/data/added_tokens.h"
#include "stages/data/bpe_merges.h"
#include "stages/data/pre_tokenizer.h"
#include "stages/data/vocabulary.h"

namespace dflash {

/// What a `tokenizer.json` of Hugging Face says, as far as byte-level BPE needs it.
struct TokenizerSpec {
  bool nfc = false;
  std::vector<SplitStep> splits;
  std::vector<AddedToken> added_tokens;
  Vocabulary vocabulary;
  std::vector<BpeMerges::Merge> merges;  // in order of precedence
  bool ignore_merges = false;            // a piece that is an entry of the vocabulary is that token
};

/// Reads the text of a `tokenizer.json`. Understood: model BPE over bytes, normaliser NFC, pre-tokenisers Split and
/// ByteLevel, decoder ByteLevel, added tokens with all flags. Post-processors are passed over: they only frame a text
/// with tokens that `encode` never adds. Throws UserError that names `place`, the JSON pointer and the value of
/// whatever else is there.
TokenizerSpec parse_tokenizer_file(std::string_view text, const std::string& place);

}  // namespace dflash
