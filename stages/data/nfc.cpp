// SPDX-License-Identifier: Apache-2.0
#include "stages/data/nfc.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "framework/core/error.h"

namespace dflash {

namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

std::string compose(std::string_view part) {
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()), static_cast<utf8proc_ssize_t>(part.size()),
                   &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner{composed, &std::free};
  DFLASH_CHECK(length >= 0, "NFC failed: {}", utf8proc_errmsg(length));
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

}  // namespace

NfcText::NfcText(std::string_view text) {
  text_.reserve(text.size());
  // An ASCII character never composes with what stands before it, so the text falls into independent parts: a run of
  // ASCII, then its last character with all that is not ASCII after it.
  std::size_t at = 0;
  while (at < text.size()) {
    const auto run_end =
        static_cast<std::size_t>(std::find_if_not(text.begin() + at, text.end(), is_ascii) - text.begin());
    const std::size_t begin = run_end == text.size() || run_end == at ? run_end : run_end - 1;
    text_ += text.substr(at, begin - at);
    const auto end =
        static_cast<std::size_t>(std::find_if(text.begin() + run_end, text.end(), is_ascii) - text.begin());
    const std::string_view part = text.substr(begin, end - begin);
    const std::string composed = part.empty() ? std::string{} : compose(part);
    if (composed != part) {
      changes_.push_back({text_.size(), text_.size() + composed.size(), begin, end});
    }
    text_ += composed;
    at = end;
  }
}

std::size_t NfcText::original_offset(std::size_t offset) const {
  const auto after =
      std::upper_bound(changes_.begin(), changes_.end(), offset,
                       [](std::size_t value, const Change& change) { return value < change.normal_begin; });
  if (after == changes_.begin()) {
    return offset;
  }
  const Change& last = *(after - 1);
  return offset < last.normal_end ? last.original_begin : offset - last.normal_end + last.original_end;
}

}  // namespace dflash
