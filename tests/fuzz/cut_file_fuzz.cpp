// SPDX-License-Identifier: Apache-2.0
// A checkpoint's cut.json: what is read is what comes back when it is written.
#include <nlohmann/json.hpp>

#include "framework/runtime/cut_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

Json json_of(const Cut& cut) {
  Json json = Json::object();
  for (const auto& [name, position] : cut) {
    json[name] = to_json(position);
  }
  return json;
}

void read_and_write(const std::filesystem::path& folder) {
  const Cut cut = read_cut(folder);
  write_cut(folder, cut);
  DFLASH_CHECK(json_of(read_cut(folder)) == json_of(cut), "a cut comes back as another");
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::TemporaryFolder folder;
  dflash::put_file(folder.path() / "cut.json", dflash::pieces_of(data, size, 1).front());
  dflash::read_or_refuse([] { dflash::read_and_write(folder.path()); });
  return 0;
}
