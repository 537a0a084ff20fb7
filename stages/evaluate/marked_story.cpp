// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/marked_story.h"

#include <numeric>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr const char* kGreen = "\033[32m";
constexpr const char* kPlain = "\033[0m";

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The bytes of the answer, and for each whether it belongs to an accepted run and whether a run begins with it.
struct MarkedBytes {
  std::string text;
  std::vector<bool> accepted;
  std::vector<bool> opens;
};

void append_piece(MarkedBytes& bytes, const std::string& piece, bool accepted, bool opens) {
  for (const char byte : piece) {
    const bool inside = continues_character(byte) && !bytes.text.empty();
    bytes.accepted.push_back(inside ? bytes.accepted.back() : accepted);
    bytes.opens.push_back(opens && !inside);
    opens = opens && inside;
    bytes.text.push_back(byte == '\n' || byte == '\r' || byte == '\t' ? ' ' : byte);
  }
}

MarkedBytes mark_bytes(const std::vector<std::string>& pieces, const std::vector<DecodeRound>& rounds) {
  const std::int64_t emitted =
      std::accumulate(rounds.begin(), rounds.end(), std::int64_t{1},
                      [](std::int64_t sum, const DecodeRound& round) { return sum + round.emitted; });
  DFLASH_CHECK(static_cast<std::int64_t>(pieces.size()) == emitted, "{} pieces, {} tokens by the rounds", pieces.size(),
               emitted);
  MarkedBytes bytes;
  append_piece(bytes, pieces.front(), false, false);
  std::size_t next = 1;
  for (const DecodeRound& round : rounds) {
    for (std::int64_t i = 0; i < round.emitted; ++i) {
      append_piece(bytes, pieces[next++], i < round.drafted, i == 0 && round.drafted > 0);
    }
  }
  return bytes;
}

/// Lines of bounded width, broken at the last space.
class LineBreaker {
 public:
  LineBreaker(std::int64_t columns, std::string indent) : columns_{columns}, indent_{std::move(indent)} {
    width_ = static_cast<std::int64_t>(indent_.size());
  }
  void put(const std::string& shown, std::int64_t columns) {
    word_ += shown;
    word_columns_ += columns;
  }
  void space() {
    flush_word();
    put(" ", 1);
  }
  std::string finish() {
    flush_word();
    return indent_ + text_;
  }

 private:
  void flush_word() {
    if (width_ + word_columns_ > columns_ && !text_.empty()) {
      text_ += "\n" + indent_;
      width_ = static_cast<std::int64_t>(indent_.size());
      const std::size_t blank = word_.find(' ');
      if (blank != std::string::npos) {
        word_.erase(blank, 1);
        --word_columns_;
      }
    }
    text_ += word_;
    width_ += word_columns_;
    word_.clear();
    word_columns_ = 0;
  }

  std::int64_t columns_;
  std::string indent_;
  std::string text_;
  std::string word_;
  std::int64_t word_columns_ = 0;
  std::int64_t width_ = 0;
};

}  // namespace

std::string marked_story(const std::vector<std::string>& pieces, const std::vector<DecodeRound>& rounds,
                         MarkStyle style, std::int64_t columns, const std::string& indent) {
  DFLASH_CHECK(!pieces.empty(), "an answer without a token");
  const MarkedBytes bytes = mark_bytes(pieces, rounds);
  const bool colours = style == MarkStyle::kColours;
  const std::string open = colours ? kGreen : "[";
  const std::string close = colours ? kPlain : "]";
  const std::int64_t mark_columns = colours ? 0 : 1;
  LineBreaker lines(columns, indent);
  bool inside = false;
  for (std::size_t i = 0; i < bytes.text.size(); ++i) {
    if (inside && (!bytes.accepted[i] || bytes.opens[i])) {
      lines.put(close, mark_columns);
      inside = false;
    }
    if (bytes.text[i] == ' ') {
      lines.space();
    }
    if (!inside && bytes.accepted[i]) {
      inside = true;
      lines.put(open, mark_columns);
    }
    if (bytes.text[i] != ' ') {
      lines.put(std::string(1, bytes.text[i]), continues_character(bytes.text[i]) ? 0 : 1);
    }
  }
  if (inside) {
    lines.put(close, mark_columns);
  }
  return lines.finish();
}

}  // namespace dflash
