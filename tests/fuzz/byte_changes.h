// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace dflash {

/// The words of a libFuzzer dictionary: a line each, in quotes, with \" \\ and \xNN.
std::vector<std::string> dictionary_words(const std::filesystem::path& file);

/// Changes inputs as a fuzzer does, but blindly, and the same way each time.
class ByteChanges {
 public:
  ByteChanges(std::vector<std::string> inputs, std::vector<std::string> words)
      : inputs_{std::move(inputs)}, words_{std::move(words)} {}
  /// One of the inputs with one to four changes: bytes replaced, removed, repeated, a word put in, a piece of another
  /// input put in.
  std::string next();

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  void change(std::string& input);

  std::vector<std::string> inputs_;
  std::vector<std::string> words_;
  std::mt19937_64 random_{1};
};

}  // namespace dflash
