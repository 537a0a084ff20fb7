// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/snapshot.h"
#include "framework/core/stage.h"

namespace dflash {

/// Drives one stage alone, on the calling thread, with no graph and no queue: for tests and for reproducing one firing.
///
///   TokenPacker packer;
///   StageRunner runner{packer};                       // opens; the destructor closes
///   runner.feed(packer.documents, document);
///   runner.fire();
///   runner.drain();
///   std::vector<TokenPack> packs = runner.outputs(packer.packs);
///
/// What the stage throws comes out of the call that caused it, unwrapped. As in a run, a failed firing leaves nothing.
class StageRunner {
 public:
  struct SpanTotal {
    std::int64_t count = 0;
    std::int64_t ns = 0;
  };

  /// Checks and opens the stage; throws UserError with all that the check finds. Missing parts of `env` are filled:
  /// name "stage", device "cpu", an empty Resources, a RunLog of its own.
  explicit StageRunner(Stage& stage, StageEnv env = {});
  StageRunner(const StageRunner&) = delete;
  StageRunner& operator=(const StageRunner&) = delete;
  ~StageRunner();

  /// Queues a value for an input; the next `fire` that has one on every input takes it.
  template <class T>
  void feed(const Input<T>& port, T value) {
    feed_item(port, make_item<T>(std::move(value)));
  }
  void feed_item(const InputPort& port, Item item);

  /// One firing. Every input must have been fed (InternalError).
  void fire();
  /// Fires while every input has something, then until a source says end of stream, at most `max_firings` times.
  /// Returns how often it fired.
  std::int64_t run_until_end(std::int64_t max_firings);
  void drain();

  /// For a Buffer: hands it the next fed item. InternalError where it has no room.
  void put();
  /// For a Buffer: moves one item to the outputs. InternalError where `has_ready(ended)` is false.
  void pop(bool ended = false);

  /// The payloads emitted on an output since the last call.
  template <class T>
  std::vector<T> outputs(const Output<T>& port) {
    std::vector<T> values;
    for (Item& item : output_items(port)) {
      values.push_back(take_payload<T>(std::move(item)));
    }
    return values;
  }
  std::vector<Item> output_items(const OutputPort& port);

  /// The stage's snapshot, through JSON text and back as in a run. `folder` empty: values only.
  [[nodiscard]] Snapshot save(const std::filesystem::path& folder = {}) const;
  void load(const Snapshot& snapshot);

  /// The stage sees `stop_requested` from now on.
  void request_stop() { stop_requested_ = true; }
  /// Called within `complete_step`, as checkpoint and evaluation are in a run.
  void on_step(std::function<void(std::int64_t)> callback) { on_step_ = std::move(callback); }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::int64_t firings() const { return firings_; }
  [[nodiscard]] const std::vector<std::int64_t>& completed_steps() const { return completed_steps_; }
  [[nodiscard]] const std::map<std::string, std::int64_t>& counters() const { return counters_; }
  [[nodiscard]] const std::map<std::string, SpanTotal>& spans() const { return spans_; }
  [[nodiscard]] const RunLog& log() const { return *env_.log; }

 private:
  class RunnerFiring;

  void check() const;
  [[nodiscard]] bool inputs_ready() const;
  void commit(RunnerFiring& firing);

  Stage* stage_;
  RunLog own_log_;
  Resources own_resources_;
  StageEnv env_;
  std::vector<std::deque<Item>> fed_;
  std::vector<std::vector<Item>> emitted_;
  std::vector<std::int64_t> next_seq_;
  std::vector<std::int64_t> fed_seq_;
  std::int64_t firings_ = 0;
  bool ended_ = false;
  bool stop_requested_ = false;
  std::function<void(std::int64_t)> on_step_;
  std::vector<std::int64_t> completed_steps_;
  std::map<std::string, std::int64_t> counters_;
  std::map<std::string, SpanTotal> spans_;
};

}  // namespace dflash
