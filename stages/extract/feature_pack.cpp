// SPDX-License-Identifier: Apache-2.0
#include "stages/extract/feature_pack.h"

#include <fmt/format.h>

#include "stages/models/tensor_fields.h"

namespace dflash {
namespace {

constexpr const char* kBase = "features.base";
constexpr const char* kTaps = "features.taps";
constexpr const char* kTapsInBase = "features.taps_in_base";

std::string tap_name(std::size_t tap) { return fmt::format("features.taps.{}", tap); }

at::Tensor column_of(const at::Tensor& base, std::size_t tap, std::size_t taps) {
  const std::int64_t width = base.size(1) / static_cast<std::int64_t>(taps);
  return base.narrow(1, static_cast<std::int64_t>(tap) * width, width);
}

bool are_columns_of_base(const Features& features) {
  const std::size_t taps = features.taps.size();
  if (!features.base.defined() || taps == 0 || features.base.size(1) % static_cast<std::int64_t>(taps) != 0) {
    return false;
  }
  for (std::size_t i = 0; i < taps; ++i) {
    const at::Tensor& tap = features.taps[i];
    const at::Tensor column = column_of(features.base, i, taps);
    if (!tap.is_alias_of(column) || tap.storage_offset() != column.storage_offset() || tap.sizes() != column.sizes() ||
        tap.strides() != column.strides()) {
      return false;
    }
  }
  return true;
}

}  // namespace

void write_features(ItemWriter& writer, const Features& features) {
  const bool in_base = are_columns_of_base(features);
  writer.set(kTaps, std::ssize(features.taps));
  writer.set(kTapsInBase, in_base ? 1 : 0);
  add_tensor(writer, kBase, features.base);
  for (std::size_t i = 0; i < features.taps.size() && !in_base; ++i) {
    add_tensor(writer, tap_name(i), features.taps[i]);
  }
}

Features read_features(const ItemReader& reader, std::int64_t rows, at::Device device) {
  Features features;
  features.base = read_rows_if_any(reader, kBase, rows, device);
  const std::int64_t taps = reader.number(kTaps);
  const bool in_base = reader.number(kTapsInBase) != 0;
  reader.check(!in_base || (taps > 0 && features.base.defined() && features.base.size(1) % taps == 0),
               "its taps are no columns of its base");
  reader.check(!in_base || taps <= features.base.size(1), "it has more taps than columns");
  for (std::int64_t i = 0; i < taps; ++i) {
    const auto tap = static_cast<std::size_t>(i);
    if (in_base) {
      features.taps.push_back(column_of(features.base, tap, static_cast<std::size_t>(taps)));
    } else {
      (void)reader.tensor(tap_name(tap));
      features.taps.push_back(read_rows_if_any(reader, tap_name(tap), rows, device));
    }
  }
  return features;
}

std::string ItemType<FeaturePack>::serialize(const FeaturePack& features) {
  ItemWriter writer{kName};
  write_pack(writer, features.pack);
  write_features(writer, features.features);
  add_tensor(writer, "final_hidden", features.final_hidden);
  return writer.take();
}

FeaturePack ItemType<FeaturePack>::deserialize(std::string_view bytes, const std::string& device) {
  const ItemReader reader{bytes, kName};
  const at::Device at{device};
  FeaturePack features;
  features.pack = read_pack(reader, at);
  features.features = read_features(reader, features.pack.rows(), at);
  features.final_hidden = read_rows_if_any(reader, "final_hidden", features.pack.rows(), at);
  return features;
}

}  // namespace dflash
