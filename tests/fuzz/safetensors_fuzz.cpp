// SPDX-License-Identifier: Apache-2.0
// Weights: a safetensors file, and an index that names it as the shard "a". A file that begins with a brace is its
// header without the length in front, so that changes of the header reach what lies behind it.
#include <cstring>
#include <numeric>

#include <ATen/core/Tensor.h>

#include "stages/models/safetensors_folder.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

std::string with_length(const std::string& header) {
  const std::uint64_t size = header.size();
  std::string length(sizeof size, '\0');
  std::memcpy(length.data(), &size, sizeof size);
  return length + header;
}

/// Touches every byte of every tensor.
void read_folder(const std::filesystem::path& path) {
  const SafetensorsFolder folder{path};
  unsigned sum = 0;
  for (const std::string& name : folder.names()) {
    const at::Tensor tensor = folder.tensor(name).contiguous();
    const auto* bytes = static_cast<const unsigned char*>(tensor.const_data_ptr());
    sum = std::accumulate(bytes, bytes + tensor.nbytes(), sum);
  }
  [[maybe_unused]] volatile const unsigned read = sum;
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::TemporaryFolder single;
  static const dflash::TemporaryFolder sharded;
  const std::vector<std::string> pieces = dflash::pieces_of(data, size, 3);
  const bool is_raw = pieces[0].empty() || pieces[0].front() != '{';
  const std::string file = (is_raw ? pieces[0] : dflash::with_length(pieces[0])) + pieces[1];
  dflash::put_file(single.path() / "model.safetensors", file);
  dflash::put_file(sharded.path() / "a", file);
  dflash::put_file(sharded.path() / "model.safetensors.index.json", pieces[2]);
  dflash::read_or_refuse([] { dflash::read_folder(single.path()); });
  dflash::read_or_refuse([] { dflash::read_folder(sharded.path()); });
  return 0;
}
