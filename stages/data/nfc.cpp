// SPDX-License-Identifier: Apache-2.0
#include "stages/data/nfc.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "framework/core/error.h"
#include "stages/data/unicode_class.h"

namespace dflash {

namespace {

struct Range {
  std::int32_t first;
  std::int32_t last;
};

/// Characters that take part in normalisation and are newer than Unicode 9, whose tables the `tokenizers` package has:
/// for it they stand for themselves, and nothing moves or composes across them.
constexpr auto kNewer = std::to_array<Range>(
    {{0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},     {0xC3C, 0xC3C},
     {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},
     {0xA82C, 0xA82C},   {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
     {0x11070, 0x11070}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x1183A}, {0x11930, 0x11930},
     {0x11935, 0x11935}, {0x11938, 0x11938}, {0x1193D, 0x1193E}, {0x11943, 0x11943}, {0x119E0, 0x119E0},
     {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D42}, {0x11D44, 0x11D45},
     {0x11D97, 0x11D97}, {0x16FF0, 0x16FF1}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF}});

bool is_newer(std::int32_t code_point) {
  const auto* after = std::ranges::upper_bound(kNewer, code_point, {}, &Range::first);
  return after != kNewer.begin() && code_point <= (after - 1)->last;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// A byte of a character's encoding that is not its first.
bool is_inside(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string compose_plain(std::string_view part) {
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()), static_cast<utf8proc_ssize_t>(part.size()),
                   &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner{composed, &std::free};
  DFLASH_CHECK(length >= 0, "NFC failed: {}", utf8proc_errmsg(length));
  return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

std::string compose(std::string_view part) {
  std::string composed;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < part.size();) {
    const CodePoint point = first_code_point(part.substr(at));
    if (is_newer(point.value)) {
      composed += compose_plain(part.substr(begin, at - begin));
      composed += part.substr(at, point.length);
      begin = at + point.length;
    }
    at += point.length;
  }
  return composed + compose_plain(part.substr(begin));
}

/// How many bytes of whole characters two texts have in common at their begin.
std::size_t common_begin(std::string_view left, std::string_view right) {
  auto count = static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
  while (count > 0 && count < left.size() && is_inside(left[count])) {
    --count;
  }
  return count;
}

/// The same at their end.
std::size_t common_end(std::string_view left, std::string_view right) {
  auto count = static_cast<std::size_t>(std::mismatch(left.rbegin(), left.rend(), right.rbegin(), right.rend()).first -
                                        left.rbegin());
  while (count > 0 && is_inside(left[left.size() - count])) {
    --count;
  }
  return count;
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
      const std::size_t before = common_begin(part, composed);
      const std::size_t behind = common_end(part.substr(before), std::string_view{composed}.substr(before));
      changes_.push_back(
          {text_.size() + before, text_.size() + composed.size() - behind, begin + before, end - behind});
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
