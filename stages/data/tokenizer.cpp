// SPDX-License-Identifier: Apache-2.0
#include "stages/data/tokenizer.h"

#define XXH_INLINE_ALL
#include <utility>

#include <xxhash.h>

#include "framework/core/error.h"
#include "stages/data/nfc.h"
#include "stages/data/text_file.h"
#include "stages/data/utf8.h"

namespace dflash {

namespace {

std::vector<AddedToken> with_normalized(const std::vector<AddedToken>& tokens, bool normalized, bool nfc) {
  std::vector<AddedToken> chosen;
  for (AddedToken token : tokens) {
    if (token.normalized == normalized) {
      token.content = normalized && nfc ? std::string{NfcText{token.content}.text()} : token.content;
      chosen.push_back(std::move(token));
    }
  }
  return chosen;
}

/// A byte without a token vanishes, as in the `tokenizers` package, and its neighbours meet. Its length goes to the
/// symbol before it, or else to the first.
void to_symbols(std::string_view piece, const Vocabulary& vocabulary, std::vector<BpeSymbol>& symbols) {
  symbols.clear();
  std::uint32_t vanished = 0;
  for (const char byte : piece) {
    const std::int32_t id = vocabulary.id_of_byte(static_cast<std::uint8_t>(byte));
    if (id >= 0) {
      symbols.push_back({.id = id, .length = 1 + std::exchange(vanished, 0)});
    } else if (symbols.empty()) {
      ++vanished;
    } else {
      ++symbols.back().length;
    }
  }
}

}  // namespace

/// One call of `encode`: the buffers that its parts share.
class Tokenizer::Encoder {
 public:
  Encoder(const Tokenizer& owner, std::vector<TokenSpan>* spans)
      : owner_{owner}, splitter_{owner.pre_tokenizer_}, spans_{spans} {}

  std::vector<std::int32_t> encode(std::string_view text) {
    for (const AddedTokenMatcher::Part& part : owner_.added_.split(text)) {
      if (part.id >= 0) {
        put(part.id, part.begin, part.end);
      } else {
        encode_part(text.substr(part.begin, part.end - part.begin), part.begin);
      }
    }
    return std::move(ids_);
  }

 private:
  void encode_part(std::string_view text, std::size_t offset) {
    const std::size_t first = ids_.size();
    if (!owner_.nfc_) {
      encode_normalized(text);
      move_spans(first, [&](std::size_t at) { return offset + at; });
      return;
    }
    const NfcText composed{text};
    encode_normalized(composed.text());
    move_spans(first, [&](std::size_t at) { return offset + composed.original_offset(at); });
  }

  void encode_normalized(std::string_view text) {
    if (owner_.added_normalized_.empty()) {
      encode_pieces(text, 0);
      return;
    }
    for (const AddedTokenMatcher::Part& part : owner_.added_normalized_.split(text)) {
      if (part.id >= 0) {
        put(part.id, part.begin, part.end);
      } else {
        encode_pieces(text.substr(part.begin, part.end - part.begin), part.begin);
      }
    }
  }

  void encode_pieces(std::string_view text, std::size_t offset) {
    pieces_.clear();
    splitter_.split(text, pieces_);
    for (const std::string_view piece : pieces_) {
      encode_piece(piece, offset + static_cast<std::size_t>(piece.data() - text.data()));
    }
  }

  void encode_piece(std::string_view piece, std::size_t begin) {
    if (const std::optional<std::int32_t> id = owner_.vocabulary_.id_of_bytes(piece); id && owner_.own_piece_[*id]) {
      put(*id, begin, begin + piece.size());
      return;
    }
    to_symbols(piece, owner_.vocabulary_, symbols_);
    owner_.merges_.apply(symbols_);
    for (const BpeSymbol& symbol : symbols_) {
      put(symbol.id, begin, begin + symbol.length);
      begin += symbol.length;
    }
  }

  void put(std::int32_t id, std::size_t begin, std::size_t end) {
    ids_.push_back(id);
    if (spans_ != nullptr) {
      spans_->push_back({begin, end});
    }
  }

  /// Takes the spans from the `first` on from the part's offsets to the text's.
  template <class Map>
  void move_spans(std::size_t first, const Map& map) {
    if (spans_ == nullptr) {
      return;
    }
    for (std::size_t i = first; i < spans_->size(); ++i) {
      (*spans_)[i] = {map((*spans_)[i].begin), map((*spans_)[i].end)};
    }
  }

  const Tokenizer& owner_;
  PreTokenizer::Splitter splitter_;
  std::vector<std::string_view> pieces_;
  std::vector<BpeSymbol> symbols_;
  std::vector<std::int32_t> ids_;
  std::vector<TokenSpan>* spans_;
};

Tokenizer Tokenizer::load(const std::filesystem::path& path) { return {read_text_file(path), path.string()}; }

Tokenizer::Tokenizer(std::string_view json_text, const std::string& place)
    : Tokenizer{parse_tokenizer_file(json_text, place), XXH3_64bits(json_text.data(), json_text.size())} {}

Tokenizer::Tokenizer(TokenizerSpec spec, std::uint64_t hash)
    : vocabulary_{std::move(spec.vocabulary)},
      merges_{spec.merges},
      pre_tokenizer_{std::move(spec.splits)},
      added_{with_normalized(spec.added_tokens, false, spec.nfc)},
      added_normalized_{with_normalized(spec.added_tokens, true, spec.nfc)},
      special_(static_cast<std::size_t>(vocabulary_.size())),
      own_piece_(static_cast<std::size_t>(vocabulary_.size()), spec.ignore_merges),
      nfc_{spec.nfc},
      hash_{hash} {
  for (const AddedToken& token : spec.added_tokens) {
    special_[static_cast<std::size_t>(token.id)] = token.special;
  }
  if (!spec.ignore_merges) {
    find_own_pieces();
  }
}

// Most words of a text are one token, and one look-up is quicker than merging them from their bytes. But there may be
// tokens that their own bytes never merge to.
void Tokenizer::find_own_pieces() {
  std::vector<BpeSymbol> symbols;
  for (std::int32_t id = 0; id < vocabulary_.size(); ++id) {
    to_symbols(vocabulary_.bytes_of(id), vocabulary_, symbols);
    merges_.apply(symbols);
    own_piece_[static_cast<std::size_t>(id)] = symbols.size() == 1 && symbols[0].id == id;
  }
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  if (const std::optional<std::size_t> at = find_invalid_utf8(text)) {
    throw UserError(fmt::format("the text is not UTF-8 at byte {}", *at));
  }
  return Encoder{*this, nullptr}.encode(text);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, std::vector<TokenSpan>& spans) const {
  if (const std::optional<std::size_t> at = find_invalid_utf8(text)) {
    throw UserError(fmt::format("the text is not UTF-8 at byte {}", *at));
  }
  spans.clear();
  return Encoder{*this, &spans}.encode(text);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  std::string bytes;
  for (const std::int32_t id : ids) {
    if (!skip_special || !is_special(id)) {
      bytes += bytes_of(id);
    }
  }
  return replace_invalid_utf8(std::move(bytes));
}

std::string_view Tokenizer::bytes_of(std::int32_t id) const {
  return id < 0 || id >= vocab_size() ? std::string_view{} : vocabulary_.bytes_of(id);
}

bool Tokenizer::is_special(std::int32_t id) const {
  return id >= 0 && id < vocab_size() && special_[static_cast<std::size_t>(id)];
}

}  // namespace dflash
