// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// Text in Unicode's composed form (NFC), and which byte of the original each byte offset came from.
class NfcText {
 public:
  /// `text` must be UTF-8.
  explicit NfcText(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  /// Maps an offset in `text()` to one in the original. Inside a part that changed: to the part's begin.
  [[nodiscard]] std::size_t original_offset(std::size_t offset) const;

 private:
  struct Change {  // bytes [normal_begin, normal_end) came from [original_begin, original_end)
    std::size_t normal_begin;
    std::size_t normal_end;
    std::size_t original_begin;
    std::size_t original_end;
  };
  std::string text_;
  std::vector<Change> changes_;
};

}  // namespace dflash
