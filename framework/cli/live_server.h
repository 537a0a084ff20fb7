// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "framework/cli/guarded_server.h"
#include "framework/cli/live_address.h"
#include "framework/report/live_run.h"
#include "framework/report/metric_history.h"

namespace dflash {

/// Shows a run that goes on, and how it ended: "/" is a page for people, "/status.json" what it is drawn from,
/// "/history.json" its metrics so far, "/metrics" Prometheus text. Reads only.
class LiveServer {
 public:
  using Look = std::function<LiveRun()>;
  static constexpr std::chrono::milliseconds kPatience{1200};  // a page that is open asks once a second

  /// As long as it lives, the server looks at the run; then it shows what it has seen last. `look` is called from the
  /// server's threads, one at a time and at most ten times a second, whoever asks how often.
  class Looking {
   public:
    /// Once for a server: it answers from now on.
    Looking(LiveServer& server, Look look) : server_{server} { server.start(std::move(look)); }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    /// Looks once more. Nothing that `look` looks at is needed any more once it has returned.
    ~Looking() { server_.look_away(); }

   private:
    LiveServer& server_;
  };

  /// Takes the port. Throws UserError where it cannot be had.
  explicit LiveServer(const LiveAddress& address);
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;
  /// Waits for no client.
  ~LiveServer() { server_.stop(); }

  [[nodiscard]] std::string url() const { return address_.url(); }
  /// From any thread, while the run goes on.
  void note(const ProgressSample& sample) { history_.add(sample.steps, sample.metrics); }
  /// The run has ended so, and is looked at no longer. Returns once a page that is open has been told, at the latest
  /// `patience` later; at once where none is.
  void tell_end(LiveEnd end, std::chrono::milliseconds patience = kPatience);
  /// What a request is answered with.
  [[nodiscard]] HttpResponse respond(const HttpRequest& request);

 private:
  using Clock = std::chrono::steady_clock;

  void start(Look look);
  [[nodiscard]] LiveRun look();
  void look_again();
  void look_away();
  [[nodiscard]] HttpResponse status();

  LiveAddress address_;
  MetricHistory history_;
  std::mutex mutex_;  // guards all below but the server
  Look look_;
  LiveRun last_;
  Clock::time_point looked_at_;
  Clock::time_point asked_at_;      // for status.json
  Clock::time_point asked_before_;  // the time before that
  bool has_told_end_ = false;
  std::condition_variable told_;
  GuardedServer server_;  // last: nobody asks once the rest goes
};

}  // namespace dflash
