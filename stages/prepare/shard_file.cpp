// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/shard_file.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"
#include "stages/models/safetensors.h"

namespace dflash {
namespace {

constexpr const char* kTags = "tags";

/// The numbers of the rows' tags, in the order in which they first occur.
class TagNumbers {
 public:
  std::int32_t number_of(const std::string& tag) {
    const auto [found, is_new] = numbers_.try_emplace(tag, static_cast<std::int32_t>(names_.size()));
    if (is_new) {
      names_.push_back(tag);
    }
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
};

at::Tensor vector_of(const SafetensorsFile& file, const std::string& path, const char* name, at::ScalarType type) {
  at::Tensor tensor = file.tensor(name);
  DFLASH_USER_CHECK(tensor.dim() == 1 && tensor.scalar_type() == type, "{}: '{}' is {} {}, allowed: a vector of {}",
                    path, name, at::toString(tensor.scalar_type()), fmt::join(tensor.sizes(), " x "),
                    at::toString(type));
  return tensor;
}

}  // namespace

void write_shard(const std::filesystem::path& file, std::span<const Document> rows,
                 const std::map<std::string, std::string>& settings) {
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> loss_mask;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> row_ids;
  std::vector<std::int32_t> tags;
  TagNumbers numbers;
  bool tagged = false;
  for (const Document& row : rows) {
    ids.insert(ids.end(), row.ids.begin(), row.ids.end());
    loss_mask.insert(loss_mask.end(), row.loss_mask.begin(), row.loss_mask.end());
    offsets.push_back(std::ssize(ids));
    row_ids.push_back(row.row_id);
    tags.push_back(numbers.number_of(row.tag));
    tagged = tagged || !row.tag.empty();
  }
  std::map<std::string, std::string> metadata = settings;
  std::vector<NamedTensor> tensors{{"ids", at::tensor(ids, at::kInt)},
                                   {"loss_mask", at::tensor(loss_mask, at::kByte)},
                                   {"offsets", at::tensor(offsets, at::kLong)},
                                   {"row_ids", at::tensor(row_ids, at::kLong)}};
  if (tagged) {
    tensors.emplace_back(kTags, at::tensor(tags, at::kInt));
    metadata[kTags] = text_of(numbers.names());
  }
  write_safetensors(file, tensors, metadata);
}

ShardFile::ShardFile(const std::filesystem::path& file) {
  const SafetensorsFile stored{file};
  const std::string path = file.string();
  settings_ = stored.metadata();
  ids_ = vector_of(stored, path, "ids", at::kInt);
  loss_mask_ = vector_of(stored, path, "loss_mask", at::kByte);
  offsets_ = vector_of(stored, path, "offsets", at::kLong);
  row_ids_ = vector_of(stored, path, "row_ids", at::kLong);
  check_offsets(path);
  if (stored.find(kTags) != nullptr) {
    read_tags(path, vector_of(stored, path, kTags, at::kInt));
  }
}

void ShardFile::check_offsets(const std::string& file) const {
  DFLASH_USER_CHECK(loss_mask_.numel() == ids_.numel(), "{}: {} values of loss_mask for {} ids", file,
                    loss_mask_.numel(), ids_.numel());
  DFLASH_USER_CHECK(offsets_.numel() == row_ids_.numel() + 1, "{}: {} offsets for {} rows, allowed: one more", file,
                    offsets_.numel(), row_ids_.numel());
  const auto* offset = offsets_.const_data_ptr<std::int64_t>();
  DFLASH_USER_CHECK(offset[0] == 0 && offset[rows()] == ids_.numel() && std::is_sorted(offset, offset + rows() + 1),
                    "{}: offsets do not ascend from 0 to {}, the number of ids", file, ids_.numel());
}

void ShardFile::read_tags(const std::string& file, const at::Tensor& numbers) {
  const Json names = parse_or_discard(settings_.contains(kTags) ? settings_.at(kTags) : "");
  const bool is_list =
      names.is_array() && std::ranges::all_of(names, [](const Json& name) { return name.is_string(); });
  DFLASH_USER_CHECK(is_list, "{}: its metadata has no list of texts 'tags'", file);
  tag_names_ = names.get<std::vector<std::string>>();
  const auto* number = numbers.const_data_ptr<std::int32_t>();
  tags_.assign(number, number + numbers.numel());
  const bool fit = std::ssize(tags_) == rows() && std::ranges::all_of(tags_, [&](std::int32_t tag) {
                     return tag >= 0 && tag < std::ssize(tag_names_);
                   });
  DFLASH_USER_CHECK(fit, "{}: 'tags' is not one number below {} for each of {} rows", file, tag_names_.size(), rows());
}

Document ShardFile::row(std::int64_t index) const {
  const auto* offset = offsets_.const_data_ptr<std::int64_t>();
  const auto* ids = ids_.const_data_ptr<std::int32_t>();
  const auto* mask = loss_mask_.const_data_ptr<std::uint8_t>();
  Document document;
  document.row_id = row_ids_.const_data_ptr<std::int64_t>()[index];
  document.ids.assign(ids + offset[index], ids + offset[index + 1]);
  document.loss_mask.assign(mask + offset[index], mask + offset[index + 1]);
  document.tag = tags_.empty() ? "" : tag_names_[static_cast<std::size_t>(tags_[static_cast<std::size_t>(index)])];
  return document;
}

}  // namespace dflash
