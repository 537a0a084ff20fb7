// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/data/added_tokens.h"
#include "stages/data/bpe_merges.h"
#include "stages/data/pre_tokenizer.h"
#include "stages/data/token_span.h"
#include "stages/data/tokenizer_file.h"
#include "stages/data/vocabulary.h"

namespace dflash {

/// Byte-level BPE as a Hugging Face `tokenizer.json` describes it, with the ids of the `tokenizers` package
/// (`encode(text, add_special_tokens=False)`); characters newer than Unicode 14 may be split otherwise. Never changes
/// after loading, so any number of threads may use it.
class Tokenizer {
 public:
  /// Loads a `tokenizer.json`, plain or packed by xz. Throws UserError with place and value of what is wrong or not
  /// supported.
  static Tokenizer load(const std::filesystem::path& path);
  /// Takes the text of such a file; `place` names it in messages.
  Tokenizer(std::string_view json_text, const std::string& place);

  /// Returns the ids of a text. Throws UserError with the offset where the text is not UTF-8.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const;
  /// The same, and for each id the part of the text.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text, std::vector<TokenSpan>& spans) const;

  /// Returns the text of some ids; invalid UTF-8 becomes U+FFFD. Ids of no token give nothing, as in the package.
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids, bool skip_special = false) const;
  /// Returns the bytes that one id stands for, perhaps a part of a character. Empty for the id of no token.
  [[nodiscard]] std::string_view bytes_of(std::int32_t id) const;

  /// The id of a token as the file writes it ("Ġthe", "<|im_end|>"), or nothing.
  [[nodiscard]] std::optional<std::int32_t> id_of(std::string_view token) const {
    return vocabulary_.id_of_text(token);
  }
  [[nodiscard]] bool is_special(std::int32_t id) const;
  /// One above the greatest id.
  [[nodiscard]] std::int32_t vocab_size() const { return vocabulary_.size(); }
  /// XXH3 (64 bits) of the file's text, unpacked.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  class Encoder;

  Tokenizer(TokenizerSpec spec, std::uint64_t hash);
  void find_own_pieces();

  Vocabulary vocabulary_;
  BpeMerges merges_;
  PreTokenizer pre_tokenizer_;
  AddedTokenMatcher added_;             // looked for in the text as it stands
  AddedTokenMatcher added_normalized_;  // looked for in the normalised text
  std::vector<bool> special_;           // by id
  std::vector<bool> own_piece_;         // by id: a piece of exactly these bytes becomes this token
  bool nfc_;
  std::uint64_t hash_;
};

}  // namespace dflash
