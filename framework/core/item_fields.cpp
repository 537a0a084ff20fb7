// SPDX-License-Identifier: Apache-2.0
#include "framework/core/item_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr const char* kTypeKey = "item";
constexpr const char* kEnds = ".ends";
static_assert(std::endian::native == std::endian::little);

struct ElementType {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array kElementTypes{ElementType{"F64", 8},  ElementType{"F32", 4}, ElementType{"F16", 2},
                                   ElementType{"BF16", 2}, ElementType{"I64", 8}, ElementType{"I32", 4},
                                   ElementType{"U8", 1},   ElementType{"BOOL", 1}};

/// Bytes of a tensor; nothing where the type is unknown, a size negative or the product too large.
std::optional<std::int64_t> bytes_of(std::string_view type, const std::vector<std::int64_t>& sizes) {
  const auto* known = std::ranges::find(kElementTypes, type, &ElementType::name);
  if (known == kElementTypes.end()) {
    return std::nullopt;
  }
  std::int64_t bytes = known->bytes;
  for (const std::int64_t size : sizes) {
    // Strides are products too, and those of an empty tensor go on as if its zeros were ones.
    if (size < 0 || __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes)) {
      return std::nullopt;
    }
  }
  return std::ranges::count(sizes, 0) > 0 ? 0 : bytes;
}

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

template <class T>
std::vector<T> values_of(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

}  // namespace

ItemWriter::ItemWriter(std::string_view type) { metadata_[kTypeKey] = type; }

void ItemWriter::set(const std::string& name, std::int64_t value) {
  DFLASH_CHECK(metadata_.emplace(name, std::to_string(value)).second, "the field '{}' twice", name);
}

void ItemWriter::set_real(const std::string& name, double value) {
  add_tensor(name, "F64", {}, bytes_of(std::span<const double>{&value, 1}));
}

void ItemWriter::add(const std::string& name, std::span<const std::int64_t> values) {
  add_tensor(name, "I64", {std::ssize(values)}, bytes_of(values));
}

void ItemWriter::add(const std::string& name, std::span<const std::int32_t> values) {
  add_tensor(name, "I32", {std::ssize(values)}, bytes_of(values));
}

void ItemWriter::add(const std::string& name, std::span<const std::uint8_t> values) {
  add_tensor(name, "U8", {std::ssize(values)}, bytes_of(values));
}

void ItemWriter::add_text(const std::string& name, std::string_view text) {
  add_tensor(name, "U8", {std::ssize(text)}, std::as_bytes(std::span{text.data(), text.size()}));
}

void ItemWriter::add_texts(const std::string& name, const std::vector<std::string>& texts) {
  std::string joined;
  std::vector<std::int64_t> ends;
  for (const std::string& text : texts) {
    joined += text;
    ends.push_back(std::ssize(joined));
  }
  add_text(name, joined);
  add(name + kEnds, ends);
}

void ItemWriter::add_tensor(const std::string& name, std::string_view type, const std::vector<std::int64_t>& sizes,
                            std::span<const std::byte> bytes) {
  DFLASH_CHECK(bytes_of(type, sizes) == std::ssize(bytes), "field '{}': {} bytes of {}", name, bytes.size(), type);
  DFLASH_CHECK(std::ranges::none_of(fields_, [&](const auto& field) { return field.first == name; }),
               "the field '{}' twice", name);
  const std::size_t begin = data_.size();
  data_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  fields_.emplace_back(name, Field{.type = std::string{type}, .sizes = sizes, .begin = begin, .end = data_.size()});
}

std::string ItemWriter::take() {
  Json header = Json::object();
  header["__metadata__"] = metadata_;
  for (const auto& [name, field] : fields_) {
    header[name] = {{"dtype", field.type}, {"shape", field.sizes}, {"data_offsets", {field.begin, field.end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  const std::uint64_t length = text.size();
  std::string whole(kLengthBytes, '\0');
  std::memcpy(whole.data(), &length, kLengthBytes);
  whole.reserve(kLengthBytes + text.size() + data_.size());
  whole += text;
  whole += data_;
  return whole;
}

ItemReader::ItemReader(std::string_view bytes, std::string_view type) : type_{type} {
  std::uint64_t length = 0;
  check(bytes.size() >= kLengthBytes, "it has no header");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  check(length <= bytes.size() - kLengthBytes, "its header is cut short");
  read_header(bytes.substr(kLengthBytes, length), bytes.substr(kLengthBytes + length));
}

void ItemReader::read_header(std::string_view header, std::string_view data) {
  const std::string source = fmt::format("recorded {}", type_);
  const Json json = parse_json(header, source);
  read_written(json, source, [&](const Json& fields) {
    for (const auto& [key, value] : fields.at("__metadata__").items()) {
      metadata_[key] = value.get<std::string>();
    }
    for (const auto& [name, value] : fields.items()) {
      if (name == "__metadata__") {
        continue;
      }
      Tensor tensor{
          .type = value.at("dtype").get<std::string>(), .sizes = whole_numbers(value.at("shape")), .bytes = {}};
      const std::vector<std::int64_t> ends = whole_numbers(value.at("data_offsets"));
      const bool lies_inside = ends.size() == 2 && 0 <= ends[0] && ends[0] <= ends[1] && ends[1] <= std::ssize(data);
      check(lies_inside && bytes_of(tensor.type, tensor.sizes) == ends[1] - ends[0],
            fmt::format("'{}' does not lie inside, or has no size of {}", name, tensor.type));
      tensor.bytes = data.substr(static_cast<std::size_t>(ends[0]), static_cast<std::size_t>(ends[1] - ends[0]));
      tensors_[name] = std::move(tensor);
    }
    return 0;
  });
  const auto found = metadata_.find(kTypeKey);
  check(found != metadata_.end() && found->second == type_,
        fmt::format("it is a '{}'", found != metadata_.end() ? found->second : "nothing"));
}

void ItemReader::check(bool holds, std::string_view fault) const {
  DFLASH_USER_CHECK(holds, "recorded {}: {}", type_, fault);
}

std::int64_t ItemReader::number(const std::string& name) const {
  const auto found = metadata_.find(name);
  check(found != metadata_.end(), fmt::format("'{}' is missing", name));
  const std::string& text = found->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc{} && end == text.data() + text.size(), fmt::format("'{}' is no whole number", name));
  return value;
}

double ItemReader::real(const std::string& name) const {
  const Tensor& found = tensor(name);
  check(found.type == "F64" && found.bytes.size() == sizeof(double), fmt::format("'{}' is no number", name));
  return values_of<double>(found.bytes).front();
}

const ItemReader::Tensor* ItemReader::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

const ItemReader::Tensor& ItemReader::tensor(const std::string& name) const {
  const Tensor* found = find(name);
  check(found != nullptr, fmt::format("'{}' is missing", name));
  return *found;
}

const ItemReader::Tensor& ItemReader::list(const std::string& name, std::string_view type) const {
  const Tensor& found = tensor(name);
  check(found.type == type && found.sizes.size() == 1,
        fmt::format("'{}' is {} of {} dimensions, expected a list of {}", name, found.type, found.sizes.size(), type));
  return found;
}

std::vector<std::int64_t> ItemReader::numbers(const std::string& name) const {
  return values_of<std::int64_t>(list(name, "I64").bytes);
}

std::vector<std::int32_t> ItemReader::short_numbers(const std::string& name) const {
  return values_of<std::int32_t>(list(name, "I32").bytes);
}

std::vector<std::uint8_t> ItemReader::bytes(const std::string& name) const {
  return values_of<std::uint8_t>(list(name, "U8").bytes);
}

std::string ItemReader::text(const std::string& name) const { return std::string{list(name, "U8").bytes}; }

std::vector<std::string> ItemReader::texts(const std::string& name) const {
  const std::string joined = text(name);
  std::vector<std::string> texts;
  std::int64_t begin = 0;
  for (const std::int64_t end : numbers(name + kEnds)) {
    check(begin <= end && end <= std::ssize(joined), fmt::format("the texts of '{}' overlap or end behind it", name));
    texts.push_back(joined.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
  check(begin == std::ssize(joined), fmt::format("bytes of no text lie in '{}'", name));
  return texts;
}

}  // namespace dflash
