// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace dflash {

/// A lane with one thread of its own, named after it, which runs positions in the order in which they were posted.
class LaneThread {
 public:
  /// `started` once, on the thread, before the first `run`. Both must not throw.
  LaneThread(const std::string& name, std::function<void()> started, std::function<void(std::size_t)> run);
  LaneThread(const LaneThread&) = delete;
  LaneThread& operator=(const LaneThread&) = delete;
  /// After the last posted position has been run.
  ~LaneThread();

  /// From any thread.
  void post(std::size_t position);

 private:
  void work();

  const std::string name_;
  std::function<void()> started_;
  std::function<void(std::size_t)> run_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::size_t> positions_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace dflash
