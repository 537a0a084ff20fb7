// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/firing.h"
#include "framework/core/param.h"
#include "framework/core/port.h"
#include "framework/core/resources.h"
#include "framework/core/run_log.h"

namespace dflash {

class StageCheck;
struct Snapshot;

/// What is said about a stage type besides its ports and parameters.
struct StageInfo {
  std::string type;          // the name in graph files: "token_packer"
  std::string summary;       // one sentence for `list`
  bool stateless = false;    // fires on several threads at once (replicas); a failed firing may be skipped or retried
  bool uses_device = false;  // queues work on the device that its placement or the run names; else it lives on the host
  bool drives_steps = false;  // calls Firing::complete_step; at most one such stage a graph
  /// Takes all that was sent to it, also what is under way when the steps are done and its producers stop.
  bool outlives_steps = false;
};

/// What a stage gets when it opens. References stay valid until `close` has returned.
struct StageEnv {
  std::string name;               // the stage's name in the graph
  std::string device;             // where its tensors go: "cpu" or "cuda:0"; never "auto"
  std::uint64_t seed = 0;         // the run's seed; draw by (seed, epoch, row id), never by time or thread
  std::int64_t steps = 0;         // run.steps; 0: until the sources end
  std::filesystem::path run_dir;  // exists once all stages have opened; write there from the first firing on
  const Resources* resources = nullptr;
  RunLog* log = nullptr;  // never null in a run
};

/// A vertex of the graph. The whole extension contract: members declare ports and parameters, virtuals do the work.
///
/// Construction must be cheap and must not fail: `list` and `inspect` construct a stage to read its declarations.
/// Life: construct, parameters assigned, check, open, [load], fire*, drain, close. All calls of one stage but `fire`
/// come from one thread at a time, and a stage with one replica never has two calls overlapping; so members need no
/// lock. Errors are thrown: UserError for the user's, anything else is ours. The runtime adds the stage's name and the
/// item's number.
class Stage : public ParamSet {
 public:
  virtual ~Stage() = default;

  /// Says what can be found wrong without opening: parameters that contradict each other or the models, files that are
  /// missing, what this build cannot do. All that is wrong, and cheaply: `check` asks it of every stage of a graph, and
  /// nothing opens before it has had nothing to say. May be asked more than once.
  virtual void check(StageCheck& check) const;

  /// Once, before the first firing, on the thread that builds the run; may allocate, load, and throw. Stages open in
  /// order from sinks to sources; where one fails, those already open are closed in reverse order.
  virtual void open(const StageEnv& env);

  /// One complete set of inputs. Called by a worker of the stage's lane; not again before it has returned (one
  /// replica). Never waits for another stage. May throw: then nothing that was emitted leaves, and the run ends.
  virtual void fire(Firing& firing) = 0;

  /// Once, after the last firing, when all inputs have ended; may emit what was held back. Not called when the run is
  /// stopped early: what was held back is then in the snapshot.
  virtual void drain(Firing& firing);

  /// Once, also after an error, if `open` was called; must not throw.
  virtual void close() noexcept;

  /// Between firings (or from within `Firing::complete_step`): says all that `load` needs to go on with the same items.
  /// A stage that keeps nothing between firings leaves both alone.
  virtual void save(Snapshot& snapshot) const;
  /// After `open`, before the first firing.
  virtual void load(const Snapshot& snapshot);

  /// True where this stage must run on the worker of the stage that feeds it, never beside it. Asked once, after the
  /// parameters are known and before `open`.
  [[nodiscard]] virtual bool shares_producers_lane() const;

  [[nodiscard]] const std::vector<InputPort*>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<OutputPort*>& outputs() const { return outputs_; }
  /// Called by a port's constructor.
  void declare(InputPort& port) { inputs_.push_back(&port); }
  void declare(OutputPort& port) { outputs_.push_back(&port); }

 private:
  std::vector<InputPort*> inputs_;
  std::vector<OutputPort*> outputs_;
};

/// A stage that only makes items. `next` is called while there is room; nullopt is the end of the stream, never an
/// exception.
template <class Out>
class Source : public Stage {
 public:
  Output<Out> out;
  [[nodiscard]] virtual std::optional<Out> next(Firing& firing) = 0;
  void fire(Firing& firing) final {
    if (std::optional<Out> value = next(firing)) {
      firing.emit(out, std::move(*value));
    } else {
      firing.end_of_stream();
    }
  }

 protected:
  Source(std::string_view out_name, std::string_view out_help) : out{*this, out_name, out_help} {}
};

/// One item in, one item out.
template <class In, class Out>
class Transform : public Stage {
 public:
  Input<In> in;
  Output<Out> out;
  [[nodiscard]] virtual Out transform(In value, Firing& firing) = 0;
  void fire(Firing& firing) final { firing.emit(out, transform(firing.take(in), firing)); }

 protected:
  Transform(std::string_view in_name, std::string_view in_help, std::string_view out_name, std::string_view out_help)
      : in{*this, in_name, in_help}, out{*this, out_name, out_help} {}
};

/// A stage that keeps items between its one input and its one output, such as the hidden-state queue. The runtime calls
/// `put` when an item is there and `has_room`, `pop` when `has_ready` and the output edge has credit; neither ever
/// overlaps the other. Its fill, residence, full and empty time appear as a row among the edges of the report.
class Buffer : public Stage {
 public:
  [[nodiscard]] virtual bool has_room() const = 0;
  /// `ended`: the input has ended, so what is held must leave however little it is.
  [[nodiscard]] virtual bool has_ready(bool ended) const = 0;
  /// Keeps the item, so that `size` grows, or lets go of one that had left before a resume and has come again.
  virtual void put(Item item) = 0;
  /// The item keeps its origin, or gets another that accounts for what stays behind (see Origin); none: the run would
  /// have to begin again where it began. `save` is asked just after, and belongs to that origin.
  [[nodiscard]] virtual Item pop() = 0;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  /// The most items that it holds: at least 1, and once the stage is open always the same.
  [[nodiscard]] virtual std::int64_t capacity() const = 0;
  /// How many items must be held before one leaves, while the input has not ended: at least 1, and once the stage is
  /// open always the same.
  [[nodiscard]] virtual std::int64_t fewest_ready() const { return 1; }
  void fire(Firing& firing) final;  // not used by the runtime: a buffer is driven by put and pop
};

/// A stage made of a plain function; see Graph::add_function.
template <class In, class Out, class Function>
class FunctionStage final : public Transform<In, Out> {
 public:
  explicit FunctionStage(Function function) : Transform<In, Out>{"in", "", "out", ""}, function_{std::move(function)} {}
  [[nodiscard]] Out transform(In value, Firing&) override { return function_(std::move(value)); }

 private:
  Function function_;
};

}  // namespace dflash
