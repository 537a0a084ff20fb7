// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/item_recorder.h"

#include <string>
#include <utility>

#include "framework/core/error.h"

namespace dflash {

ItemRecorder::ItemRecorder(RecordedPort port, const ItemTypeInfo& type, std::int64_t most_items)
    : items{*this, "items", "what is recorded", type}, port_{std::move(port)}, most_items_{most_items} {
  DFLASH_CHECK(type.serialize != nullptr, "'{}' cannot be recorded", type.name);
}

std::filesystem::path ItemRecorder::file_in(const std::filesystem::path& run_dir, const std::string& port) {
  return run_dir / "recordings" / (port + std::string{kRecordingSuffix});
}

void ItemRecorder::open(const StageEnv& env) {
  file_ = file_in(env.run_dir, port_.port);
  log_ = env.log;
}

// The run directory is not there before the first firing.
RecordingWriter& ItemRecorder::writer() {
  if (!writer_) {
    writer_.emplace(file_, port_);
  }
  return *writer_;
}

void ItemRecorder::fire(Firing& firing) {
  const Item item = firing.take_item(items);
  if (ended_) {
    firing.count("items_not_recorded", 1);
    return;
  }
  Span serialize{firing, "serialize"};
  const std::string bytes = items.type().serialize(item.payload.get());
  serialize.stop();
  const Span write{firing, "write"};
  writer().add(item.seq, item.from_firing, bytes);
  firing.count("bytes_recorded", std::ssize(bytes));
  if (writer_->items() == most_items_) {
    end(RecordingEnd::kLimit);
  }
  tell();
}

void ItemRecorder::drain(Firing&) {
  if (!ended_) {
    end(RecordingEnd::kStream);
    tell();
  }
}

void ItemRecorder::end(RecordingEnd reason) {
  writer().end(reason);
  ended_ = true;
}

void ItemRecorder::tell() {
  log_->set_summary("recordings",
                    {{port_.port, {{"items", writer_->items()}, {"bytes", writer_->bytes()}, {"whole", ended_}}}});
}

}  // namespace dflash
