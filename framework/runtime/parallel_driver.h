// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <vector>

#include "framework/runtime/firing_driver.h"

namespace dflash {

/// Drives a stage with several slots. The driver alone takes inputs and sends outputs, both in order, so that what
/// follows sees the stage as if it fired one at a time; its slots only run the body, each on any worker of the lane.
///
/// Path of an item: the driver takes it into a ticket and posts a slot -> the slot fires and leaves what was emitted in
/// the ticket -> the driver, woken, sends it off once all earlier tickets have been. So a slow firing lets at most
/// `kTicketsASlot` times the slots run ahead of it.
class ParallelDriver final : public FiringDriver {
 public:
  ParallelDriver(const Graph::Vertex& vertex, RunState& run, RunDevices::Device* device);

  void place(Lanes& lanes, std::size_t position) override;
  [[nodiscard]] StageRecord record(std::int64_t wall_ns) const override;
  [[nodiscard]] StageTimeline timeline() const override;

 private:
  /// One firing, from the taking of its inputs to the sending of its outputs.
  struct Ticket {
    std::int64_t number = 0;
    Enabler last;
    std::vector<Item> taken;  // sequence numbers and origins of the inputs, without their payloads
    std::vector<StagedItem> staged;
    std::atomic<bool> has_fired{false};
  };

  class Slot final : public Runnable {
   public:
    Slot(ParallelDriver& driver, SlotAccount& account, DeviceSlot* device)
        : driver_{&driver},
          account_{&account},
          device_{device},
          firing_{*driver.vertex_, *driver.run_, driver.origins_} {
      firing_.use(device);
    }
    void run() noexcept override;

    [[nodiscard]] bool is_idle() const { return is_idle_.load(std::memory_order_acquire); }
    /// Idle, with room on its device.
    [[nodiscard]] bool may_fire() const { return is_idle() && (device_ == nullptr || device_->has_room()); }
    /// Firings on its device.
    [[nodiscard]] std::int64_t queued() const { return device_ == nullptr ? 0 : device_->queued(); }
    [[nodiscard]] DeviceSlot* device() const { return device_; }
    FiringSlot& firing() { return firing_; }
    [[nodiscard]] const FiringSlot& firing() const { return firing_; }
    void assign(Ticket& ticket) {
      is_idle_.store(false, std::memory_order_relaxed);
      ticket_.store(&ticket, std::memory_order_release);
    }

   private:
    ParallelDriver* driver_;
    SlotAccount* account_;
    DeviceSlot* device_;
    FiringSlot firing_;
    std::atomic<Ticket*> ticket_{nullptr};  // its store hands over all that was set before
    std::atomic<bool> is_idle_{true};
  };

  bool work() override;
  bool is_quiet() override;
  bool finish_inputs() override;
  bool has_slot(Enabler& last) override;
  /// Hands the firing to an idle slot, of these to the one whose device has least to do.
  void fire(const Enabler& last) override;
  void send_first();

  std::size_t first_slot_ = 0;  // position of the first slot among what the lanes run
  std::deque<Slot> slots_;
  std::deque<Ticket> tickets_;  // in order of their numbers
};

}  // namespace dflash
