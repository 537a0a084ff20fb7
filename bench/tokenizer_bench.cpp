// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stages/data/text_file.h"
#include "stages/data/tokenizer.h"

/// Tokenises texts on one thread and says how fast; `--ids` prints each text's ids instead. The file holds a text as a
/// JSON string a line. `scripts/compare_tokenizer.py` compares both with the `tokenizers` package.
///
///   build/release/bench/tokenizer_bench TOKENIZER.json TEXTS.jsonl [--ids]

namespace {

constexpr int kRounds = 5;

std::vector<std::string> read_texts(const char* path) {
  const std::string content = dflash::read_text_file(path);
  std::vector<std::string> texts;
  std::size_t begin = 0;
  while (begin < content.size()) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    texts.push_back(nlohmann::json::parse(content.substr(begin, end - begin)).get<std::string>());
    begin = end + 1;
  }
  return texts;
}

void print_ids(const dflash::Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    fmt::print("{}\n", nlohmann::json(tokenizer.encode(text)).dump());
  }
}

void measure(const dflash::Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  std::int64_t bytes = 0;
  for (const std::string& text : texts) {
    bytes += static_cast<std::int64_t>(text.size());
  }
  double best = 1e300;
  std::size_t tokens = 0;
  for (int round = 0; round < kRounds; ++round) {
    tokens = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& text : texts) {
      tokens += tokenizer.encode(text).size();
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  fmt::print("{} bytes, {} tokens, best of {}: {:.4f} s, {:.2f} MB/s\n", bytes, tokens, kRounds, best,
             static_cast<double>(bytes) / best / 1e6);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "usage: tokenizer_bench TOKENIZER.json TEXTS.jsonl [--ids]\n");
    return 2;
  }
  try {
    const dflash::Tokenizer tokenizer = dflash::Tokenizer::load(arguments[1]);
    const std::vector<std::string> texts = read_texts(arguments[2]);
    const bool ids = count > 3 && std::string_view{arguments[3]} == "--ids";
    ids ? print_ids(tokenizer, texts) : measure(tokenizer, texts);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
