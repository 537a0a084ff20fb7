// SPDX-License-Identifier: Apache-2.0
#include "stages/data/pre_tokenizer.h"

#include <optional>

#include "stages/data/utf8.h"

namespace dflash {

const char* const kByteLevelPattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

PreTokenizer::Splitter::Splitter(const PreTokenizer& owner) : owner_{&owner} {
  for (const SplitStep& step : owner.steps_) {
    matchers_.emplace_back(step.pattern);
  }
}

void PreTokenizer::Splitter::split(std::string_view text, std::vector<std::string_view>& pieces) {
  split_by(0, text, pieces);
}

void PreTokenizer::Splitter::split_by(std::size_t step, std::string_view text, std::vector<std::string_view>& pieces) {
  if (text.empty()) {
    return;
  }
  if (step == owner_->steps_.size()) {
    pieces.push_back(text);
    return;
  }
  std::size_t done = 0;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::optional<SplitPattern::Match> match = matchers_[step].find(text, from);
    if (!match) {
      break;
    }
    take(step, text.substr(done, match->begin - done), false, pieces);
    take(step, text.substr(match->begin, match->end - match->begin), true, pieces);
    done = match->end;
    from = match->end;
    if (match->begin == match->end) {
      from += from < text.size() ? utf8_step(text.substr(from)).length : 1;
    }
  }
  take(step, text.substr(done), false, pieces);
}

void PreTokenizer::Splitter::take(std::size_t step, std::string_view piece, bool is_match,
                                  std::vector<std::string_view>& pieces) {
  const SplitStep& rule = owner_->steps_[step];
  if (rule.behavior == SplitBehavior::kIsolated || is_match == rule.invert) {
    split_by(step + 1, piece, pieces);
  }
}

}  // namespace dflash
