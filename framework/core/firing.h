// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "framework/core/port.h"

namespace dflash {

/// Names a part of a firing for the report ("forward", "loss", "backward"). Time counts from construction to
/// destruction or `stop`. Spans may nest; names are literals, at most 16 different ones a stage.
class Span {
 public:
  Span(class Firing& firing, std::string_view name);
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() { stop(); }
  void stop();

 private:
  class Firing* firing_;
};

/// One call of a stage on one complete set of inputs: what the stage's body may touch. Valid during the call only, on
/// the calling thread only. What is emitted leaves when the firing ends without an error; a failed firing leaves
/// nothing.
class Firing {
 public:
  Firing() = default;
  Firing(const Firing&) = delete;
  Firing& operator=(const Firing&) = delete;
  virtual ~Firing() = default;

  /// The payload at an input. Once per input and firing. In `drain` there are no inputs.
  template <class T>
  [[nodiscard]] T take(const Input<T>& port) {
    return take_payload<T>(take_item(port));
  }
  /// Gives a payload to an output; the stage must not write it afterwards. Any number per firing: what has no room on
  /// the edge waits in the stage's slot, and the stage does not fire again until it has left.
  template <class T>
  void emit(const Output<T>& port, T value) {
    emit_item(port, make_item<T>(std::move(value)));
  }

  /// The same without the C++ type, for buffers and test harnesses. `emit_item` keeps the item's origin if it has one.
  [[nodiscard]] virtual Item take_item(const InputPort& port) = 0;
  virtual void emit_item(const OutputPort& port, Item item) = 0;

  /// 1-based number of this firing of this stage; goes on counting after a resume.
  [[nodiscard]] virtual std::int64_t number() const = 0;
  /// A source says that nothing will follow.
  virtual void end_of_stream() = 0;
  /// True once the run is stopping. A body that waits or loops long must look at it.
  [[nodiscard]] virtual bool stop_requested() const = 0;
  /// The optimiser step (1-based) is complete and the stage's state is consistent; the last thing that a firing does.
  /// What is due between steps (checkpoint, evaluation) is done before the next firing, once all that the step has
  /// emitted has been worked off; the run ends when `run.steps` is reached. Only for stages with `drives_steps`.
  virtual void complete_step(std::int64_t step) = 0;
  /// Adds to a named counter of this stage in the report ("rows_rejected").
  virtual void count(std::string_view name, std::int64_t amount) = 0;

  virtual void begin_span(std::string_view name) = 0;
  virtual void end_span() = 0;
};

inline Span::Span(Firing& firing, std::string_view name) : firing_{&firing} { firing.begin_span(name); }
inline void Span::stop() {
  if (firing_ != nullptr) {
    firing_->end_span();
    firing_ = nullptr;
  }
}

}  // namespace dflash
