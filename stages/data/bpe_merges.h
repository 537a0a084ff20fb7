// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dflash {

/// A token and how many bytes it stands for.
struct BpeSymbol {
  std::int32_t id = 0;
  std::uint32_t length = 0;

  friend bool operator==(const BpeSymbol&, const BpeSymbol&) = default;
};

/// Byte pair merges: which two neighbouring tokens become one, and in which order of precedence.
class BpeMerges {
 public:
  struct Merge {
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int32_t merged = 0;
  };

  /// Takes the merges in order of precedence, the first first. Of two with the same pair the later counts, as in the
  /// `tokenizers` package.
  explicit BpeMerges(const std::vector<Merge>& merges);

  /// Merges until no pair is left that has a merge: always the pair of the lowest rank, of equal ones the leftmost.
  void apply(std::vector<BpeSymbol>& symbols) const;

 private:
  struct Slot {  // an open-addressed hash table: `left` < 0 is free
    std::int32_t left = -1;
    std::int32_t right = -1;
    std::uint32_t rank = 0;
    std::int32_t merged = 0;
  };
  [[nodiscard]] std::size_t slot_of(std::int32_t left, std::int32_t right) const;
  [[nodiscard]] const Slot* find(std::int32_t left, std::int32_t right) const;
  void apply_to_few(std::vector<BpeSymbol>& symbols) const;
  void apply_to_many(std::vector<BpeSymbol>& symbols) const;

  std::vector<Slot> slots_;
};

}  // namespace dflash
