// SPDX-License-Identifier: Apache-2.0
#include "stages/data/added_tokens.h"

#include <algorithm>

#include "stages/data/unicode_class.h"

namespace dflash {

namespace {

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const bool word_before = begin > 0 && is_word_character(last_code_point(text.substr(0, begin)).value);
  const bool word_after = end < text.size() && is_word_character(first_code_point(text.substr(end)).value);
  return !word_before && !word_after;
}

std::size_t skip_space_back(std::string_view text, std::size_t begin) {
  while (begin > 0) {
    const CodePoint last = last_code_point(text.substr(0, begin));
    if (!is_white_space(last.value)) {
      break;
    }
    begin -= last.length;
  }
  return begin;
}

std::size_t skip_space(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    const CodePoint first = first_code_point(text.substr(end));
    if (!is_white_space(first.value)) {
      break;
    }
    end += first.length;
  }
  return end;
}

}  // namespace

AddedTokenMatcher::AddedTokenMatcher(std::vector<AddedToken> tokens) : tokens_{std::move(tokens)} {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const AddedToken& left, const AddedToken& right) {
    return left.content.size() > right.content.size();
  });
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    by_first_[static_cast<unsigned char>(tokens_[i].content[0])].push_back(i);
  }
}

const AddedToken* AddedTokenMatcher::match_at(std::string_view text, std::size_t at) const {
  for (const std::size_t i : by_first_[static_cast<unsigned char>(text[at])]) {
    if (text.substr(at).starts_with(tokens_[i].content)) {
      return &tokens_[i];
    }
  }
  return nullptr;
}

const AddedToken* AddedTokenMatcher::next_match(std::string_view text, std::size_t& at) const {
  for (; at < text.size(); ++at) {
    if (const AddedToken* token = match_at(text, at)) {
      return token;
    }
  }
  return nullptr;
}

std::vector<AddedTokenMatcher::Part> AddedTokenMatcher::split(std::string_view text) const {
  std::vector<Part> parts;
  std::size_t done = 0;
  std::size_t at = 0;
  while (const AddedToken* token = next_match(text, at)) {
    std::size_t begin = at;
    std::size_t end = at + token->content.size();
    at = end;
    if (token->single_word && !stands_alone(text, begin, end)) {
      continue;
    }
    begin = std::max(token->lstrip ? skip_space_back(text, begin) : begin, done);
    end = token->rstrip ? skip_space(text, end) : end;
    if (done < begin) {
      parts.push_back({done, begin, -1});
    }
    parts.push_back({begin, end, token->id});
    done = end;
  }
  if (done < text.size()) {
    parts.push_back({done, text.size(), -1});
  }
  return parts;
}

}  // namespace dflash
