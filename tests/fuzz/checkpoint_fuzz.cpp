// SPDX-License-Identifier: Apache-2.0
// A checkpoint's manifest and a file beside it; the manifest once as it is, once with a hash of itself that is right.
#include <nlohmann/json.hpp>

#include "framework/checkpoint/checkpoint_manifest.h"
#include "framework/checkpoint/checkpoint_store.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/core/json_syntax.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

constexpr std::int64_t kSoundStep = 1;

class FuzzedStore {
 public:
  FuzzedStore() {
    store_.write(kSoundStep, {}, [](const std::filesystem::path& folder) { write_durably(folder / "data", "sound"); });
    std::filesystem::create_directories(newest_);
  }

  void put(std::string_view manifest, std::string_view file) const {
    put_file(newest_ / kManifestName, manifest);
    put_file(newest_ / "data", file);
  }

  /// A damaged checkpoint costs itself, never the one before it.
  void read() const {
    const NewestValid found = store_.newest_valid();
    const std::optional<std::string> problem = CheckpointStore::verify(newest_);
    DFLASH_CHECK(found.checkpoint.has_value(), "the sound checkpoint is not found");
    DFLASH_CHECK((found.checkpoint->folder == newest_) == !problem,
                 "a damaged checkpoint is taken, or a sound one not");
    DFLASH_CHECK(!store_.list().empty(), "the sound checkpoint is not listed");
  }

 private:
  TemporaryFolder folder_;
  CheckpointStore store_{folder_.path()};
  std::filesystem::path newest_ = folder_.path() / "step-000002";
};

std::string with_own_hash(const std::string& manifest) {
  Json json = parse_json(manifest, "manifest");
  DFLASH_USER_CHECK(json.is_object(), "no manifest");
  json.erase("manifest_xxh3");
  json["manifest_xxh3"] = hash_text(json.dump());
  return json.dump();
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::FuzzedStore store;
  const std::vector<std::string> pieces = dflash::pieces_of(data, size, 2);
  store.put(pieces[0], pieces[1]);
  store.read();
  dflash::read_or_refuse([&] {
    store.put(dflash::with_own_hash(pieces[0]), pieces[1]);
    store.read();
  });
  return 0;
}
