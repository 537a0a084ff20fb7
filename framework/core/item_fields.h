// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// Makes the bytes of one item for a recording: named fields, laid out as a safetensors file, so that other programs
/// read them too. Single whole numbers stand in the header's metadata, everything else is a tensor.
class ItemWriter {
 public:
  /// `type`: the name of the item's type, which a reader asks for.
  explicit ItemWriter(std::string_view type);

  void set(const std::string& name, std::int64_t value);
  /// Every bit comes back, NaN's too.
  void set_real(const std::string& name, double value);
  void add(const std::string& name, std::span<const std::int64_t> values);
  void add(const std::string& name, std::span<const std::int32_t> values);
  void add(const std::string& name, std::span<const std::uint8_t> values);
  /// Any bytes.
  void add_text(const std::string& name, std::string_view text);
  void add_texts(const std::string& name, const std::vector<std::string>& texts);
  /// A tensor by its bytes, row after row; `type` is the format's word ("BF16"). InternalError where the three do not
  /// fit each other, or the name is taken.
  void add_tensor(const std::string& name, std::string_view type, const std::vector<std::int64_t>& sizes,
                  std::span<const std::byte> bytes);

  /// The whole, once.
  [[nodiscard]] std::string take();

 private:
  struct Field {
    std::string type;
    std::vector<std::int64_t> sizes;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::map<std::string, std::string> metadata_;
  std::vector<std::pair<std::string, Field>> fields_;
  std::string data_;
};

/// Reads what ItemWriter has made. Any bytes are safe: what is missing, of another kind or does not fit is a UserError
/// that names the type and the field.
class ItemReader {
 public:
  struct Tensor {
    std::string type;
    std::vector<std::int64_t> sizes;
    std::string_view bytes;  // of what the reader was made from
  };

  /// `bytes` must outlive this.
  ItemReader(std::string_view bytes, std::string_view type);

  [[nodiscard]] std::int64_t number(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& name) const;
  [[nodiscard]] std::vector<std::int32_t> short_numbers(const std::string& name) const;
  [[nodiscard]] std::vector<std::uint8_t> bytes(const std::string& name) const;
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  /// Null where there is none.
  [[nodiscard]] const Tensor* find(const std::string& name) const;
  [[nodiscard]] const Tensor& tensor(const std::string& name) const;

  /// Throws UserError "recorded TYPE: FAULT" unless it holds.
  void check(bool holds, std::string_view fault) const;

 private:
  void read_header(std::string_view header, std::string_view data);
  /// A list of one dimension.
  [[nodiscard]] const Tensor& list(const std::string& name, std::string_view type) const;

  std::string type_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace dflash
