// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"

#include <fstream>
#include <iterator>
#include <utility>

namespace dflash {

std::vector<std::string> pieces_of(const std::uint8_t* data, std::size_t size, std::size_t count) {
  constexpr std::string_view kBetween = "\n%%\n";
  std::string rest{data, data + size};
  std::vector<std::string> pieces;
  while (pieces.size() + 1 < count) {
    const std::size_t end = rest.find(kBetween);
    pieces.push_back(rest.substr(0, end));
    rest = end == std::string::npos ? "" : rest.substr(end + kBetween.size());
  }
  pieces.push_back(std::move(rest));
  return pieces;
}

void put_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  DFLASH_CHECK(!file.fail(), "cannot write '{}'", path.string());
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  DFLASH_CHECK(file.good(), "cannot read '{}'", path.string());
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace dflash
