// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/lane_thread.h"

#include <utility>

#include "framework/telemetry/thread_name.h"

namespace dflash {

LaneThread::LaneThread(const std::string& name, std::function<void()> started, std::function<void(std::size_t)> run)
    : name_{name}, started_{std::move(started)}, run_{std::move(run)}, thread_{[this] { work(); }} {}

LaneThread::~LaneThread() {
  {
    const std::lock_guard lock{mutex_};
    is_stopping_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void LaneThread::post(std::size_t position) {
  {
    const std::lock_guard lock{mutex_};
    positions_.push_back(position);
  }
  posted_.notify_one();
}

void LaneThread::work() {
  name_this_thread(name_);
  started_();
  std::unique_lock lock{mutex_};
  for (;;) {
    posted_.wait(lock, [this] { return !positions_.empty() || is_stopping_; });
    if (positions_.empty()) {
      return;
    }
    const std::size_t position = positions_.front();
    positions_.pop_front();
    lock.unlock();
    run_(position);
    lock.lock();
  }
}

}  // namespace dflash
