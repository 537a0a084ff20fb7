// SPDX-License-Identifier: Apache-2.0
// What a fuzzer has found once stays found, also where there is no clang: its corpus is read, and changes of it.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/fuzz/byte_changes.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash {
namespace {

constexpr int kChangedInputs = 500;

struct Input {
  std::string name;
  std::string bytes;
};

std::vector<Input> corpus() {
  std::vector<Input> inputs;
  for (const auto& entry : std::filesystem::directory_iterator{DFLASH_FUZZ_CORPUS}) {
    inputs.push_back({entry.path().filename().string(), file_bytes(entry.path())});
  }
  std::ranges::sort(inputs, {}, &Input::name);
  return inputs;
}

/// Where the input lies that ended the program.
std::filesystem::path last_input() { return std::filesystem::temp_directory_path() / DFLASH_FUZZ_LAST; }

void expect_read_or_refused(const std::string& bytes, const std::string& name) {
  put_file(last_input(), bytes);
  EXPECT_NO_THROW(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()))
      << name << ": " << ::testing::PrintToString(bytes);
  std::filesystem::remove(last_input());
}

TEST(Corpus, IsReadOrRefused) {
  ASSERT_THAT(corpus(), ::testing::Not(::testing::IsEmpty()));
  for (const Input& input : corpus()) {
    expect_read_or_refused(input.bytes, input.name);
  }
}

TEST(Corpus, IsReadOrRefusedWhenItIsChanged) {
  std::vector<std::string> inputs;
  std::ranges::transform(corpus(), std::back_inserter(inputs), &Input::bytes);
  ByteChanges changes{std::move(inputs), dictionary_words(DFLASH_FUZZ_WORDS)};
  for (int i = 0; i < kChangedInputs; ++i) {
    expect_read_or_refused(changes.next(), fmt::format("change {}", i));
  }
}

}  // namespace
}  // namespace dflash
