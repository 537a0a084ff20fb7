// SPDX-License-Identifier: Apache-2.0
#include "stages/models/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>

#include <c10/core/ScalarType.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json.h"
#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLargestHeader = 100'000'000;  // the reference implementation's limit

struct TypeName {
  std::string_view name;
  at::ScalarType type;
};

constexpr std::array kTypeNames{TypeName{"F64", at::kDouble}, TypeName{"F32", at::kFloat},
                                TypeName{"F16", at::kHalf},   TypeName{"BF16", at::kBFloat16},
                                TypeName{"I64", at::kLong},   TypeName{"I32", at::kInt},
                                TypeName{"U8", at::kByte},    TypeName{"BOOL", at::kBool}};

std::string supported_types() {
  std::vector<std::string_view> names;
  std::ranges::transform(kTypeNames, std::back_inserter(names), &TypeName::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Reports a fault of one file, or of one tensor in it.
struct Place {
  std::string file;
  std::string tensor;
  [[noreturn]] void fail(const std::string& fault) const {
    const std::string of_tensor = tensor.empty() ? "" : fmt::format(", tensor '{}'", tensor);
    throw UserError(fmt::format("{}{}: {}", file, of_tensor, fault));
  }
  void check(bool holds, const std::string& fault) const {
    if (!holds) {
      fail(fault);
    }
  }
};

std::string_view header_text(std::span<const std::byte> bytes, const Place& place) {
  place.check(bytes.size() >= kLengthBytes,
              fmt::format("not a safetensors file: {} bytes, expected at least {}", bytes.size(), kLengthBytes));
  std::uint64_t length = 0;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&length, bytes.data(), kLengthBytes);
  place.check(length <= kLargestHeader && length <= bytes.size() - kLengthBytes,
              fmt::format("not a whole safetensors file: header of {} bytes in a file of {} bytes (at most {} allowed)",
                          length, bytes.size(), kLargestHeader));
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, static_cast<std::size_t>(length)};
}

/// Parses JSON in which no object names a key twice; the parser itself would keep the last.
Json parse_without_duplicates(std::string_view text, const Place& place) {
  std::vector<std::set<std::string>> open_objects;
  std::optional<std::string> duplicate;
  const auto watch = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open_objects.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_objects.pop_back();
    } else if (event == Json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      duplicate = parsed.get<std::string>();
    }
    return true;
  };
  Json parsed;
  try {
    parsed = Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    const SyntaxMistake mistake = syntax_mistake(text, error);
    place.fail(fmt::format("its header is not JSON at column {}: {}", mistake.column, mistake.what));
  }
  const std::optional<SyntaxMistake> overlooked = overlooked_mistake(text);
  place.check(!overlooked,
              overlooked ? fmt::format("its header, column {}: {}", overlooked->column, overlooked->what) : "");
  place.check(!duplicate.has_value(), fmt::format("its header has the key '{}' twice", duplicate.value_or("")));
  place.check(parsed.is_object(), fmt::format("its header is JSON of type {}, expected an object", parsed.type_name()));
  return parsed;
}

std::map<std::string, std::string> read_metadata(const Json& found, const Place& place) {
  place.check(found.is_object(), fmt::format("__metadata__ is of type {}, expected an object", found.type_name()));
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : found.items()) {
    place.check(value.is_string(),
                fmt::format("__metadata__.{} is of type {}, expected a string", key, value.type_name()));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

at::ScalarType read_type(const Json& found, const Place& place) {
  place.check(found.is_string(), fmt::format("dtype is of type {}, expected a string", found.type_name()));
  const auto name = found.get<std::string>();
  const std::optional<at::ScalarType> type = safetensors_type(name);
  place.check(type.has_value(), fmt::format("dtype '{}' is not supported; supported: {}", name, supported_types()));
  return *type;
}

std::vector<std::uint64_t> read_counts(const Json& found, std::string_view key, const Place& place) {
  place.check(found.is_array(), fmt::format("{} is of type {}, expected a list of counts", key, found.type_name()));
  std::vector<std::uint64_t> counts;
  for (const Json& value : found) {
    place.check(value.is_number_unsigned() && value.get<std::uint64_t>() <= INT64_MAX,
                fmt::format("{} has {}, expected counts from 0", key, shown_value(value)));
    counts.push_back(value.get<std::uint64_t>());
  }
  return counts;
}

std::uint64_t byte_size(const std::vector<std::uint64_t>& sizes, at::ScalarType type, const Place& place) {
  std::uint64_t bytes = c10::elementSize(type);
  for (const std::uint64_t size : sizes) {
    // Strides are products too, and those of an empty tensor go on as if its zeros were ones.
    place.check(!__builtin_mul_overflow(bytes, std::max<std::uint64_t>(size, 1), &bytes) && bytes <= INT64_MAX,
                fmt::format("shape [{}] is too large", fmt::join(sizes, ", ")));
  }
  return std::ranges::count(sizes, 0U) > 0 ? 0 : bytes;
}

StoredTensor read_tensor(const Json& found, std::size_t data_begin, std::size_t data_size, const Place& place) {
  place.check(found.is_object(), fmt::format("its entry is of type {}, expected an object", found.type_name()));
  for (const auto& [key, value] : found.items()) {
    const std::vector<std::string> known{"dtype", "shape", "data_offsets"};
    place.check(std::ranges::count(known, key) > 0, fmt::format("unknown key '{}'{}", key, suggestion(key, known)));
  }
  for (const std::string key : {"dtype", "shape", "data_offsets"}) {
    place.check(found.contains(key), fmt::format("its entry has no '{}'", key));
  }
  const at::ScalarType type = read_type(found.at("dtype"), place);
  const auto sizes = read_counts(found.at("shape"), "shape", place);
  place.check(sizes.size() <= 64, fmt::format("shape has {} dimensions, at most 64 allowed", sizes.size()));
  const auto offsets = read_counts(found.at("data_offsets"), "data_offsets", place);
  place.check(offsets.size() == 2, fmt::format("data_offsets has {} numbers, expected 2", offsets.size()));
  place.check(
      offsets[0] <= offsets[1] && offsets[1] <= data_size,
      fmt::format("data_offsets [{}, {}] are not inside the data of {} bytes", offsets[0], offsets[1], data_size));
  const std::uint64_t expected = byte_size(sizes, type, place);
  place.check(
      offsets[1] - offsets[0] == expected,
      fmt::format("data_offsets [{}, {}] span {} bytes, expected {} for {} of shape [{}]", offsets[0], offsets[1],
                  offsets[1] - offsets[0], expected, safetensors_type_name(type), fmt::join(sizes, ", ")));
  return {.name = place.tensor,
          .type = type,
          .sizes = {sizes.begin(), sizes.end()},
          .begin = data_begin + offsets[0],
          .end = data_begin + offsets[1]};
}

void check_cover(const std::vector<StoredTensor>& tensors, std::size_t begin, std::size_t end, const Place& place) {
  std::size_t reached = begin;
  for (const StoredTensor& tensor : tensors) {
    Place{place.file, tensor.name}.check(
        tensor.begin == reached,
        fmt::format("its data begin at byte {}, expected {}: {}", tensor.begin, reached,
                    tensor.begin < reached ? "tensors overlap" : "bytes of no tensor lie before"));
    reached = tensor.end;
  }
  place.check(reached == end, fmt::format("the file has {} bytes, expected {} by its header", end, reached));
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::span<const std::byte> bytes, const std::string& file) {
  const Place place{file, ""};
  const std::string_view text = header_text(bytes, place);
  const Json parsed = parse_without_duplicates(text, place);
  const std::size_t data_begin = kLengthBytes + text.size();
  SafetensorsHeader header;
  for (const auto& [name, entry] : parsed.items()) {
    if (name == "__metadata__") {
      header.metadata = read_metadata(entry, place);
    } else {
      header.tensors.push_back(read_tensor(entry, data_begin, bytes.size() - data_begin, {file, name}));
    }
  }
  std::ranges::stable_sort(header.tensors, {},
                           [](const StoredTensor& tensor) { return std::pair(tensor.begin, tensor.end); });
  check_cover(header.tensors, data_begin, bytes.size(), place);
  return header;
}

std::optional<at::ScalarType> safetensors_type(std::string_view name) {
  const auto* known = std::ranges::find(kTypeNames, name, &TypeName::name);
  return known == kTypeNames.end() ? std::nullopt : std::optional{known->type};
}

std::string_view safetensors_type_name(at::ScalarType type) {
  const auto* known = std::ranges::find(kTypeNames, type, &TypeName::type);
  DFLASH_USER_CHECK(known != kTypeNames.end(), "safetensors: element type {} is not supported; supported: {}",
                    c10::toString(type), supported_types());
  return known->name;
}

}  // namespace dflash
