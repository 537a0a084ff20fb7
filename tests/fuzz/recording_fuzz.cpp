// SPDX-License-Identifier: Apache-2.0
// A file of recorded items, and the bytes of an item: once as they are, and once with a header's length that is right,
// so that changes of the header reach what lies behind it.
#include <cstring>

#include "framework/core/item_fields.h"
#include "framework/recording/recording.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace dflash {
namespace {

void read_items(const std::filesystem::path& file) {
  const Recording recording{file};
  DFLASH_CHECK(!recording.extent().empty(), "a recording without an extent");
  for (std::size_t i = 0; i < recording.size(); ++i) {
    const Recording::Item item = recording.read(i);
    DFLASH_CHECK(item.seq == recording.seq(i), "an item has two numbers");
  }
}

/// Every way to read a field, each for itself.
void read_fields(const std::string& bytes) {
  const ItemReader reader{bytes, "thing"};
  for (const char* name : {"step", "lr", "numbers", "ids", "mask", "names"}) {
    read_or_refuse([&] { (void)reader.number(name); });
    read_or_refuse([&] { (void)reader.real(name); });
    read_or_refuse([&] { (void)reader.numbers(name); });
    read_or_refuse([&] { (void)reader.short_numbers(name); });
    read_or_refuse([&] { (void)reader.bytes(name); });
    read_or_refuse([&] { (void)reader.texts(name); });
  }
}

std::string with_length(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  std::string length(sizeof size, '\0');
  std::memcpy(length.data(), &size, sizeof size);
  return length + header + data;
}

}  // namespace
}  // namespace dflash

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dflash::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "a.out.items";
  const std::vector<std::string> pieces = dflash::pieces_of(data, size, 3);
  dflash::put_file(file, pieces[0]);
  dflash::read_or_refuse([&] { dflash::read_items(file); });
  dflash::read_or_refuse([&] { dflash::read_fields(pieces[1] + pieces[2]); });
  dflash::read_or_refuse([&] { dflash::read_fields(dflash::with_length(pieces[1], pieces[2])); });
  return 0;
}
