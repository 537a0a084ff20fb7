// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <string>
#include <string_view>

#include "framework/core/error.h"
#include "stages/data/split_pattern.h"

namespace dflash {

namespace {

/// Walks once through a pattern. Where the two syntaxes agree, characters are copied.
class RubyPattern {
 public:
  RubyPattern(std::string_view pattern, const std::string& place) : pattern_{pattern}, place_{place} {}

  std::string translate() {
    while (at_ < pattern_.size()) {
      step();
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool follows(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  void copy(std::size_t count) {
    out_ += pattern_.substr(at_, count);
    at_ += count;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    throw UserError(
        fmt::format("{}: pattern '{}' has {} at byte {}, which is not supported", place_, pattern_, what, at_));
  }

  void step() {
    if (pattern_[at_] == '\\') {
      escape();
    } else if (in_class_) {
      class_character();
    } else {
      character();
    }
  }

  void escape() {
    const char letter = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    if (letter == 's' || letter == 'S') {
      // PCRE2's own \s takes U+180E for a space, which Unicode has ceased to do.
      out_ += letter == 's' ? "\\p{White_Space}" : "\\P{White_Space}";
      at_ += 2;
    } else if (letter == 'u' && at_ + 6 <= pattern_.size()) {
      out_ += fmt::format("\\x{{{}}}", pattern_.substr(at_ + 2, 4));
      at_ += 6;
    } else if (std::string_view{"pPx"}.find(letter) != std::string_view::npos &&
               pattern_.substr(at_ + 2).starts_with("{")) {
      const std::size_t close = pattern_.find('}', at_);
      copy(close == std::string_view::npos ? 2 : close + 1 - at_);
    } else if (std::string_view{"rntfxdD"}.find(letter) != std::string_view::npos ||
               (letter != '\0' && std::isalnum(static_cast<unsigned char>(letter)) == 0)) {
      copy(2);
    } else {
      refuse(fmt::format("the escape '\\{}'", letter));
    }
  }

  void class_character() {
    if (follows("[")) {
      refuse("a class within a class ('[')");
    }
    if (follows("&&")) {
      refuse("an intersection of classes ('&&')");
    }
    in_class_ = !follows("]");
    copy(1);
  }

  void character() {
    if (follows("[")) {
      in_class_ = true;
      copy(follows("[^") ? 2 : 1);
      if (follows("]")) {
        refuse("']' at the beginning of a class");
      }
    } else if (follows("^") || follows("$")) {
      refuse(fmt::format("the anchor '{}'", pattern_[at_]));
    } else if (follows("(?")) {
      group();
    } else if (follows("{,") || follows("}+")) {
      refuse(fmt::format("'{}'", pattern_.substr(at_, 2)));
    } else {
      copy(1);
    }
  }

  void group() {
    for (const std::string_view known : {"(?:", "(?i:", "(?=", "(?!", "(?>", "(?<=", "(?<!"}) {
      if (follows(known)) {
        copy(known.size());
        return;
      }
    }
    refuse(fmt::format("the group '{}'", pattern_.substr(at_, 4)));
  }

  std::string_view pattern_;
  const std::string& place_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

std::string translate_ruby_pattern(std::string_view pattern, const std::string& place) {
  return RubyPattern{pattern, place}.translate();
}

std::string quote_pattern(std::string_view literal) {
  std::string pattern;
  for (const char c : literal) {
    if (std::ispunct(static_cast<unsigned char>(c)) != 0) {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern;
}

}  // namespace dflash
