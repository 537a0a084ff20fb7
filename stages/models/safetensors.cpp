// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors.h"

#include <cstring>
#include <fstream>
#include <set>
#include <system_error>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/nearest_name.h"

namespace dflash {

SafetensorsFile::SafetensorsFile(const std::filesystem::path& file)
    : path_(file.string()),
      mapping_(std::make_shared<MappedFile>(file)),
      header_(read_safetensors_header(mapping_->bytes(), path_)) {
  for (std::size_t at = 0; at < header_.tensors.size(); ++at) {
    by_name_[header_.tensors[at].name] = at;
  }
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &header_.tensors[found->second];
}

at::Tensor SafetensorsFile::tensor(std::string_view name) const {
  const StoredTensor* stored = find(name);
  if (stored == nullptr) {
    std::vector<std::string> names;
    names.reserve(header_.tensors.size());
    for (const StoredTensor& known : header_.tensors) {
      names.push_back(known.name);
    }
    throw UserError(fmt::format("{} has no tensor '{}'{}", path_, name, suggestion(name, names)));
  }
  std::byte* begin = mapping_->bytes().data() + stored->begin;
  const bool is_bool = stored->type == at::kBool;
  const auto options = at::TensorOptions().dtype(is_bool ? at::kByte : stored->type);
  if (stored->begin == stored->end) {
    return at::empty(stored->sizes, options.dtype(stored->type));
  }
  if (reinterpret_cast<std::uintptr_t>(begin) % c10::elementSize(stored->type) != 0) {
    at::Tensor copy = at::empty(stored->sizes, options);
    std::memcpy(copy.data_ptr(), begin, stored->end - stored->begin);
    return copy;
  }
  const at::Tensor view = at::from_blob(begin, stored->sizes, [mapping = mapping_](void*) {}, options);
  return is_bool ? view.ne(0) : view;
}

void SafetensorsFile::forget(std::string_view name) const {
  if (const StoredTensor* stored = find(name)) {
    mapping_->forget(mapping_->bytes().subspan(stored->begin, stored->end - stored->begin));
  }
}

namespace {

std::string header_of(const std::vector<NamedTensor>& tensors, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  std::set<std::string> names{"__metadata__"};
  std::size_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    DFLASH_USER_CHECK(names.insert(name).second, "safetensors: the name '{}' is reserved or given twice", name);
    const std::size_t begin = end;
    end += tensor.nbytes();
    header[name] = {{"dtype", safetensors_type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

void write_parts(const std::filesystem::path& file, const std::string& header,
                 const std::vector<NamedTensor>& tensors) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const std::uint64_t length = header.size();
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor bytes = tensor.detach().cpu().contiguous();
    out.write(static_cast<const char*>(bytes.const_data_ptr()), static_cast<std::streamsize>(bytes.nbytes()));
  }
  out.close();
  DFLASH_USER_CHECK(!out.fail(), "cannot write '{}': {}", file.string(), std::generic_category().message(errno));
}

}  // namespace

void write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = header_of(tensors, metadata);
  std::filesystem::path temporary = file;
  temporary += ".partial";
  try {
    write_parts(temporary, header, tensors);
    sync_to_disk(temporary);
    std::error_code error;
    std::filesystem::rename(temporary, file, error);
    DFLASH_USER_CHECK(!error, "cannot rename '{}' to '{}': {}", temporary.string(), file.string(), error.message());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  sync_to_disk(file.has_parent_path() ? file.parent_path() : ".");
}

}  // namespace dflash
