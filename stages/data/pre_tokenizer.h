// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "stages/data/split_pattern.h"

namespace dflash {

/// What happens to the matches of a split (or, inverted, to what lies between them).
enum class SplitBehavior { kIsolated, kRemoved };

/// One `Split` of a pre-tokeniser.
struct SplitStep {
  SplitPattern pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;
};

/// The pattern that `ByteLevel` splits by where `use_regex` is set: GPT-2's.
extern const char* const kByteLevelPattern;

/// Cuts text into pieces that byte pair merges never cross: each step cuts the pieces of the one before it.
class PreTokenizer {
 public:
  explicit PreTokenizer(std::vector<SplitStep> steps) : steps_{std::move(steps)} {}

  /// The state of one thread.
  class Splitter {
   public:
    explicit Splitter(const PreTokenizer& owner);
    /// Appends the pieces of `text` (UTF-8), views into it, in order, none of them empty.
    void split(std::string_view text, std::vector<std::string_view>& pieces);

   private:
    void split_by(std::size_t step, std::string_view text, std::vector<std::string_view>& pieces);
    void take(std::size_t step, std::string_view piece, bool is_match, std::vector<std::string_view>& pieces);

    const PreTokenizer* owner_;
    std::vector<SplitPattern::Matcher> matchers_;
  };

 private:
  std::vector<SplitStep> steps_;
};

}  // namespace dflash
