// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recorded_source.h"

#include <utility>

#include "framework/core/error.h"
#include "framework/core/snapshot.h"

namespace dflash {

RecordedSource::RecordedSource(Recording recording, std::string_view port, const ItemTypeInfo& type,
                               std::int64_t rounds)
    : items{*this, port, "recorded items", type}, recording_{std::move(recording)}, rounds_{rounds} {
  DFLASH_CHECK(type.deserialize != nullptr, "'{}' cannot be recorded", type.name);
}

std::int64_t RecordedSource::total() const { return rounds_ * static_cast<std::int64_t>(recording_.size()); }

void RecordedSource::open(const StageEnv& env) {
  device_ = env.device;
  log_ = env.log;
  log_->expect_work(total());
  log_->begin_work("item", 0);
}

void RecordedSource::fire(Firing& firing) {
  if (played_ == total()) {
    firing.end_of_stream();
    return;
  }
  const auto count = static_cast<std::int64_t>(recording_.size());
  const auto position = static_cast<std::size_t>(played_ % count);
  const std::int64_t a_round = recording_.seq(recording_.size() - 1) + 1;
  if (next_seq_ < played_ / count * a_round + recording_.seq(position)) {
    Item skipped;
    skipped.type = &items.type();
    firing.emit_item(items, std::move(skipped));
    ++next_seq_;
    return;
  }
  Span read{firing, "read"};
  const Recording::Item recorded = recording_.read(position);
  read.stop();
  const Span deserialize{firing, "deserialize"};
  firing.emit_item(items, items.type().deserialize(recorded.bytes, device_));
  ++next_seq_;
  log_->set_done(++played_);
}

void RecordedSource::save(Snapshot& snapshot) const {
  snapshot.values = {{"played", played_}, {"next_seq", next_seq_}};
}

void RecordedSource::load(const Snapshot& snapshot) {
  played_ = snapshot.values.at("played").get<std::int64_t>();
  next_seq_ = snapshot.values.at("next_seq").get<std::int64_t>();
}

}  // namespace dflash
