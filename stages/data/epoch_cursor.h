// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// Walks over rows epoch by epoch, in the file's order or in one drawn from (seed, epoch). Where it stands is two
/// numbers.
class EpochCursor {
 public:
  struct Options {
    std::int64_t rows = 0;    // at least 1
    std::int64_t epochs = 0;  // 0: endless
    bool shuffle = true;
    std::uint64_t seed = 0;
  };
  struct Position {
    std::int64_t epoch = 0;
    std::int64_t row = 0;

    friend bool operator==(const Position&, const Position&) = default;
  };

  explicit EpochCursor(Options options) : options_{options} {}

  /// Returns the next row, or nothing after the last epoch.
  [[nodiscard]] std::optional<Position> next();

  [[nodiscard]] Json save() const;
  /// Throws UserError where the saved position belongs to data of another size.
  void load(const Json& saved);

 private:
  void order_rows();

  Options options_;
  std::int64_t epoch_ = 0;
  std::int64_t index_ = 0;
  std::int64_t ordered_epoch_ = -1;
  std::vector<std::int64_t> order_;  // of `ordered_epoch_`
};

}  // namespace dflash
