// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recorded_source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"

namespace dflash {

RecordedSource::RecordedSource(Recording recording, std::string_view port, const ItemTypeInfo& type,
                               std::int64_t rounds)
    : items{*this, port, "recorded items", type}, recording_{std::move(recording)}, rounds_{rounds} {
  DFLASH_CHECK(type.deserialize != nullptr, "'{}' cannot be recorded", type.name);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(a_round(), 1);
  DFLASH_USER_CHECK(rounds_ <= most, "a recording of {} items cannot be played {} times, allowed: at most {}",
                    a_round(), rounds_, most);
}

std::int64_t RecordedSource::a_round() const {
  return recording_.size() == 0 ? 0 : recording_.seq(recording_.size() - 1) + 1;
}

std::int64_t RecordedSource::total() const { return rounds_ * static_cast<std::int64_t>(recording_.size()); }

void RecordedSource::open(const StageEnv& env) {
  device_ = env.device;
  log_ = env.log;
  log_->expect_work(total());
  log_->begin_work("item", 0);
}

void RecordedSource::fire(Firing& firing) {
  if (played_ >= total()) {
    firing.end_of_stream();
    return;
  }
  const auto count = static_cast<std::int64_t>(recording_.size());
  if (!next_) {  // before the skipped ones in front of it: what numbers it is checked only now
    const Span read{firing, "read"};
    next_ = recording_.read(static_cast<std::size_t>(played_ % count));
  }
  if (next_seq_ < played_ / count * a_round() + next_->seq) {
    Item skipped;
    skipped.type = &items.type();
    firing.emit_item(items, std::move(skipped));
    ++next_seq_;
    return;
  }
  const Span deserialize{firing, "deserialize"};
  firing.emit_item(items, items.type().deserialize(next_->bytes, device_));
  next_.reset();
  ++next_seq_;
  log_->set_done(++played_);
}

void RecordedSource::save(Snapshot& snapshot) const {
  snapshot.values = {{"played", played_}, {"next_seq", next_seq_}};
}

void RecordedSource::load(const Snapshot& snapshot) {
  played_ = snapshot.values.at("played").get<std::int64_t>();
  next_seq_ = snapshot.values.at("next_seq").get<std::int64_t>();
  next_.reset();
}

}  // namespace dflash
