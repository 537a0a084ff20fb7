// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/record_head.h"

#define XXH_INLINE_ALL
#include <bit>
#include <cstring>

#include <xxhash.h>

namespace dflash {
namespace {

constexpr std::size_t kWord = 8;
constexpr std::size_t kCheckedBytes = kHeadBytes - kWord;
constexpr std::string_view kItemWord = "ITEM\n\0\0\0";
constexpr std::string_view kItem{kItemWord.data(), kWord};
constexpr std::string_view kEndWord = "END\n\0\0\0\0";
constexpr std::string_view kEnd{kEndWord.data(), kWord};
static_assert(std::endian::native == std::endian::little);

/// All but the checksum.
std::string checked_text(const RecordHead& head) {
  std::string text{head.kind == RecordKind::kItem ? kItem : kEnd};
  for (const std::int64_t number : {head.seq, head.firing, head.length}) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return text;
}

std::uint64_t checksum_of(std::string_view checked, std::string_view bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), XXH3_64bits(checked.data(), checked.size()));
}

}  // namespace

std::string head_text(const RecordHead& head, std::string_view bytes) {
  std::string text = checked_text(head);
  const std::uint64_t checksum = checksum_of(text, bytes);
  text.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return text;
}

ReadHead read_head(const std::array<char, kHeadBytes>& text) {
  ReadHead read;
  const std::string_view kind{text.data(), kWord};
  const char* at = text.data() + kWord;
  const auto take = [&at](auto& number) {
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
  };
  take(read.head.seq);
  take(read.head.firing);
  take(read.head.length);
  take(read.head.checksum);
  read.head.kind = kind == kItem ? RecordKind::kItem : RecordKind::kEnd;
  read.known = (kind == kItem && read.head.length >= 0) || (kind == kEnd && read.head.length == 0);
  return read;
}

bool is_sound(const RecordHead& head, std::string_view bytes) {
  return checksum_of(checked_text(head), bytes) == head.checksum;
}

}  // namespace dflash
