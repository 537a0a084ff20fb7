// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/byte_changes.h"

#include <charconv>
#include <fstream>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr std::size_t kLongestPiece = 64;
constexpr std::size_t kMostChanges = 4;

std::string unescaped(std::string_view quoted) {
  std::string word;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      word += quoted[i];
    } else if (quoted.substr(i + 1).starts_with('x')) {
      unsigned byte = 0;
      std::from_chars(quoted.data() + i + 2, quoted.data() + std::min(i + 4, quoted.size()), byte, 16);
      word += static_cast<char>(byte);
      i += 3;
    } else {
      word += quoted.substr(++i, 1);
    }
  }
  return word;
}

}  // namespace

std::vector<std::string> dictionary_words(const std::filesystem::path& file) {
  std::ifstream lines{file};
  DFLASH_CHECK(lines.good(), "cannot read '{}'", file.string());
  std::vector<std::string> words;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 2 && line.front() == '"') {
      words.push_back(unescaped(std::string_view{line}.substr(1, line.size() - 2)));
    }
  }
  return words;
}

std::string ByteChanges::next() {
  std::string input = inputs_[below(inputs_.size())];
  for (std::size_t changes = 1 + below(kMostChanges); changes > 0; --changes) {
    change(input);
  }
  return input;
}

void ByteChanges::change(std::string& input) {
  const std::size_t at = below(input.size() + 1);
  const std::size_t length = below(kLongestPiece);
  const std::string& other = inputs_[below(inputs_.size())];
  switch (below(6)) {
    case 0:
      input.replace(at, 1, 1, static_cast<char>(below(256)));
      break;
    case 1:
      input.erase(at, length);
      break;
    case 2:
      input.insert(at, std::string{input, at, length});
      break;
    case 3:
      input.insert(at, words_[below(words_.size())]);
      break;
    case 4:
      input.replace(at, length, words_[below(words_.size())]);
      break;
    default:
      input.insert(at, other.substr(below(other.size() + 1), length));
  }
}

}  // namespace dflash
