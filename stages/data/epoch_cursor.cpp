// SPDX-License-Identifier: Apache-2.0
#include "stages/data/epoch_cursor.h"

#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/counter_random.h"
#include "framework/core/error.h"

namespace dflash {

void EpochCursor::order_rows() {
  order_.resize(static_cast<std::size_t>(options_.rows));
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t left = order_.size(); options_.shuffle && left > 1; --left) {
    const std::uint64_t drawn = counter_random(options_.seed, {static_cast<std::uint64_t>(epoch_), left}) % left;
    std::swap(order_[left - 1], order_[drawn]);
  }
  ordered_epoch_ = epoch_;
}

std::optional<EpochCursor::Position> EpochCursor::next() {
  if (index_ == options_.rows) {
    index_ = 0;
    ++epoch_;
  }
  if (options_.epochs > 0 && epoch_ >= options_.epochs) {
    return std::nullopt;
  }
  if (ordered_epoch_ != epoch_) {
    order_rows();
  }
  return Position{.epoch = epoch_, .row = order_[static_cast<std::size_t>(index_++)]};
}

Json EpochCursor::save() const { return {{"epoch", epoch_}, {"index", index_}, {"rows", options_.rows}}; }

void EpochCursor::load(const Json& saved) {
  const auto rows = saved.at("rows").get<std::int64_t>();
  DFLASH_USER_CHECK(rows == options_.rows, "the saved position is in data of {} rows, the data has {}", rows,
                    options_.rows);
  epoch_ = saved.at("epoch").get<std::int64_t>();
  index_ = saved.at("index").get<std::int64_t>();
}

}  // namespace dflash
