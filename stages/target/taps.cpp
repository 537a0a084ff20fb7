// SPDX-License-Identifier: Apache-2.0
#include "stages/target/taps.h"

#include <fmt/format.h>

#include "stages/models/tensor_fields.h"

namespace dflash {

std::string ItemType<Taps>::serialize(const Taps& taps) {
  ItemWriter writer{kName};
  write_pack(writer, taps.pack);
  writer.set("layers", std::ssize(taps.layers));
  for (std::size_t i = 0; i < taps.layers.size(); ++i) {
    add_tensor(writer, fmt::format("layers.{}", i), taps.layers[i]);
  }
  add_tensor(writer, "final_hidden", taps.final_hidden);
  return writer.take();
}

Taps ItemType<Taps>::deserialize(std::string_view bytes, const std::string& device) {
  const ItemReader reader{bytes, kName};
  const at::Device at{device};
  Taps taps;
  taps.pack = read_pack(reader, at);
  const std::int64_t layers = reader.number("layers");
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string name = fmt::format("layers.{}", i);
    (void)reader.tensor(name);
    taps.layers.push_back(read_rows_if_any(reader, name, taps.pack.rows(), at));
  }
  taps.final_hidden = read_rows_if_any(reader, "final_hidden", taps.pack.rows(), at);
  return taps;
}

}  // namespace dflash
