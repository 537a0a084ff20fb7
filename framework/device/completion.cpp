// SPDX-License-Identifier: Apache-2.0
#include "framework/device/completion.h"

#include <algorithm>
#include <utility>

namespace dflash {

std::int64_t Completion::done_at() const { return std::max<std::int64_t>(done_at_.load(std::memory_order_acquire), 0); }

bool Completion::done_or_wake(std::function<void()> waker) {
  const std::lock_guard lock{mutex_};
  if (is_done()) {
    return true;
  }
  wakers_.push_back(std::move(waker));
  return false;
}

void Completion::wait() {
  std::unique_lock lock{mutex_};
  finished_.wait(lock, [this] { return is_done(); });
}

void Completion::finish(std::int64_t now) {
  std::vector<std::function<void()>> wakers;
  {
    const std::lock_guard lock{mutex_};
    done_at_.store(now, std::memory_order_release);
    wakers.swap(wakers_);
  }
  finished_.notify_all();
  for (const std::function<void()>& wake : wakers) {
    wake();
  }
}

}  // namespace dflash
