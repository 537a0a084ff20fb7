// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// A row of a trace.
struct TraceTrack {
  std::int64_t process = 0;
  std::int64_t thread = 0;
};

/// Writes events of the Chrome JSON trace format to a stream, one by one, so that a trace is never whole in memory.
/// Times in nanoseconds; the format has microseconds, with three decimals here. Names may be any bytes.
class TraceEvents {
 public:
  explicit TraceEvents(std::ostream& out);
  TraceEvents(const TraceEvents&) = delete;
  TraceEvents& operator=(const TraceEvents&) = delete;
  ~TraceEvents() = default;

  /// Processes and threads stand in the order in which they are named.
  void name_process(std::int64_t process, const std::string& name);
  void name_thread(const TraceTrack& track, const std::string& name);
  void slice(const TraceTrack& track, const std::string& name, std::int64_t begin, std::int64_t end,
             const Json& args = {});
  void counter(std::int64_t process, const std::string& name, std::int64_t at, const char* unit, std::int64_t value);
  /// An arrow from the slice that is under way on one track at one time to that on another.
  void arrow(const std::string& name, const std::pair<TraceTrack, std::int64_t>& from,
             const std::pair<TraceTrack, std::int64_t>& to);
  /// Ends the trace with what must be known to read it.
  void finish(const Json& metadata);

  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  void line(std::string_view phase, const TraceTrack& track, std::string_view name, std::string_view rest);
  void metadata_of(const char* what, const TraceTrack& track, const std::string& name);

  std::ostream& out_;
  std::int64_t count_ = 0;
  std::int64_t arrows_ = 0;
};

}  // namespace dflash
