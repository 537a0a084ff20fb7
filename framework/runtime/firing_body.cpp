// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/firing_body.h"

#include <oneapi/tbb/task_arena.h>

#include "framework/device/profiler_range.h"

namespace dflash {
namespace {

/// A body may spread a loop over oneTBB's workers. While its thread waits for the loop's end it must take nothing but
/// parts of that loop: a firing of another stage would run under what this body has set for its thread, or wait there
/// for what this body holds.
template <class Body>
void alone(const Body& body) {
  tbb::this_task_arena::isolate(body);
}

}  // namespace

FiringBody::FiringBody(const Graph::Vertex& vertex, RunState& run) : vertex_{&vertex}, run_{&run} {
  if (vertex.placement.inject) {
    planted_.emplace(*vertex.placement.inject, run);
  }
}

bool FiringBody::fire(FiringSlot& slot, DeviceSlot* device) const {
  if (slot.has_tombstone()) {
    slot.count("tombstones", 1);
    if (vertex_->info.stateless) {
      slot.stage_tombstones();
    }
    return device == nullptr || device->abandon();
  }
  const ErrorPolicy& policy = vertex_->placement.on_error;
  if (policy.retry > 0) {
    slot.keep_inputs();
  }
  for (std::int64_t attempt = 0;; ++attempt) {
    try {
      run(slot, device, attempt);
      return true;
    } catch (...) {
      if (attempt < policy.retry) {
        slot.rewind();
        slot.count("retried", 1);
        continue;
      }
      const bool is_own = device == nullptr || device->abandon();
      if (policy.skip && is_own) {
        slot.stage_tombstones();
        slot.count("skipped", 1);
        return true;
      }
      if (is_own) {
        run_->fail_with_current_exception(vertex_->name, "fire", slot.number());
      }
      return false;
    }
  }
}

void FiringBody::run(FiringSlot& slot, DeviceSlot* device, std::int64_t attempt) const {
  if (device != nullptr && attempt == 0) {
    device->begin(slot.number());
  }
  if (planted_) {
    planted_->before(slot.number(), attempt);
  }
  alone([&] {
    const ProfilerRange range{run_->marks_ranges(), vertex_->name, slot.number()};
    vertex_->stage->fire(slot);
  });
  plant_after(slot.number(), slot.staged());
  if (planted_ && device != nullptr) {
    device->sleep(planted_->device_delay(slot.number()));  // behind its work, which may go on while the body does
  }
  if (device != nullptr) {
    device->end(slot.staged());
  }
}

bool FiringBody::drain(FiringSlot& slot, DeviceSlot* device) const {
  try {
    if (device != nullptr) {
      device->begin(0);
    }
    alone([&] { vertex_->stage->drain(slot); });
    if (device != nullptr) {
      device->end(slot.staged());
    }
    return true;
  } catch (...) {
    if (device == nullptr || device->abandon()) {
      run_->fail_with_current_exception(vertex_->name, "drain", 0);
    }
    return false;
  }
}

void FiringBody::plant_before(std::int64_t firing) const {
  if (planted_) {
    planted_->before(firing, 0);
  }
}

void FiringBody::plant_after(std::int64_t firing, std::vector<StagedItem>& staged) const {
  if (planted_) {
    planted_->after(firing, staged);
  }
}

}  // namespace dflash
