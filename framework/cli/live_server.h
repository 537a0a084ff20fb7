// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "framework/cli/guarded_server.h"
#include "framework/cli/live_address.h"
#include "framework/report/live_run.h"

namespace dflash {

/// Shows a run that goes on: "/" is a page for people, "/status.json" what it is drawn from, "/metrics" Prometheus
/// text. Reads only.
class LiveServer {
 public:
  using Look = std::function<LiveRun()>;

  /// Takes the port. Throws UserError where it cannot be had.
  explicit LiveServer(const LiveAddress& address);
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;
  /// Nothing that `look` looks at is needed any more once it has returned, and it waits for no client.
  ~LiveServer() { server_.stop(); }

  [[nodiscard]] std::string url() const { return address_.url(); }
  /// Once: answers from now on. `look` is called from the server's threads, one at a time and at most ten times a
  /// second, whoever asks how often.
  void start(Look look);
  /// What a request is answered with.
  [[nodiscard]] HttpResponse respond(const HttpRequest& request);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] LiveRun look();

  LiveAddress address_;
  Look look_;
  std::mutex mutex_;
  LiveRun last_;
  Clock::time_point looked_at_;
  GuardedServer server_;  // last: nobody asks once the rest goes
};

}  // namespace dflash
