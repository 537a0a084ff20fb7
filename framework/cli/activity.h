// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace dflash {

/// What a run does in place of firings, set by who does it and read by who shows it. Safe from any thread.
class Activity {
 public:
  void set(std::string text) {
    const std::lock_guard lock{mutex_};
    text_ = std::move(text);
  }
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock{mutex_};
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace dflash
