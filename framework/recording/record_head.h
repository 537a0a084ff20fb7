// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dflash {

// A recording is a file of
//
//   {"schema":"dflash-recording/1","port":"target.taps","type":"taps"}      one line
//   head, bytes                                                            one pair an item, in their order
//   head                                                                   the end, where the file is whole
//
// A head is 40 bytes, little-endian. The checksum is the XXH3 (64 bits) of the bytes, seeded by that of the 32 bytes
// before it.

inline constexpr std::string_view kRecordingSchema = "dflash-recording/1";
inline constexpr std::string_view kRecordingSuffix = ".items";

enum class RecordKind { kItem, kEnd };

/// Why nothing follows in a whole recording.
enum class RecordingEnd : std::int64_t {
  kStream = 0,  // the port gave nothing more
  kLimit = 1,   // as many items as were asked for
};

/// What stands before the bytes of an item, and at the end.
struct RecordHead {
  RecordKind kind = RecordKind::kItem;
  std::int64_t seq = 0;     // of the item on its port; at the end: how many items
  std::int64_t firing = 0;  // of the producer, as Item::from_firing; at the end: a RecordingEnd
  std::int64_t length = 0;  // bytes that follow
  std::uint64_t checksum = 0;
};

inline constexpr std::size_t kHeadBytes = 40;

/// The head with its checksum, as it stands in a file.
[[nodiscard]] std::string head_text(const RecordHead& head, std::string_view bytes);

struct ReadHead {
  bool known = false;  // of one of the kinds, with a length that is one
  RecordHead head;
};
[[nodiscard]] ReadHead read_head(const std::array<char, kHeadBytes>& text);

/// Whether the checksum is that of the head and these bytes.
[[nodiscard]] bool is_sound(const RecordHead& head, std::string_view bytes);

}  // namespace dflash
