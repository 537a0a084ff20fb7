// SPDX-License-Identifier: Apache-2.0
#include "framework/report/trace_events.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

std::string microseconds(std::int64_t ns) {
  const std::int64_t size = std::abs(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

std::string json_string(std::string_view text) { return text_of(Json(text)); }

}  // namespace

TraceEvents::TraceEvents(std::ostream& out) : out_{out} { out_ << R"({"displayTimeUnit":"ns","traceEvents":[)"; }

void TraceEvents::line(std::string_view phase, const TraceTrack& track, std::string_view name, std::string_view rest) {
  out_ << (count_ == 0 ? "\n" : ",\n")
       << fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"name":{}{}}})", phase, track.process, track.thread,
                      json_string(name), rest);
  ++count_;
}

void TraceEvents::metadata_of(const char* what, const TraceTrack& track, const std::string& name) {
  const std::string order =
      std::string{what} == "process" ? fmt::format("{}", track.process) : fmt::format("{}", track.thread);
  line("M", track, fmt::format("{}_name", what), fmt::format(R"(,"args":{{"name":{}}})", json_string(name)));
  line("M", track, fmt::format("{}_sort_index", what), fmt::format(R"(,"args":{{"sort_index":{}}})", order));
}

void TraceEvents::name_process(std::int64_t process, const std::string& name) {
  metadata_of("process", {.process = process, .thread = 0}, name);
}

void TraceEvents::name_thread(const TraceTrack& track, const std::string& name) { metadata_of("thread", track, name); }

void TraceEvents::slice(const TraceTrack& track, const std::string& name, std::int64_t begin, std::int64_t end,
                        const Json& args) {
  line("X", track, name,
       fmt::format(R"(,"ts":{},"dur":{}{})", microseconds(begin), microseconds(end - begin),
                   args.is_null() ? "" : fmt::format(R"(,"args":{})", text_of(args))));
}

void TraceEvents::counter(std::int64_t process, const std::string& name, std::int64_t at, const char* unit,
                          std::int64_t value) {
  line("C", {.process = process, .thread = 0}, name,
       fmt::format(R"(,"ts":{},"args":{{"{}":{}}})", microseconds(at), unit, value));
}

void TraceEvents::arrow(const std::string& name, const std::pair<TraceTrack, std::int64_t>& from,
                        const std::pair<TraceTrack, std::int64_t>& to) {
  ++arrows_;
  line("s", from.first, name, fmt::format(R"(,"cat":"item","id":{},"ts":{})", arrows_, microseconds(from.second)));
  line("f", to.first, name, fmt::format(R"(,"cat":"item","bp":"e","id":{},"ts":{})", arrows_, microseconds(to.second)));
}

void TraceEvents::finish(const Json& metadata) { out_ << "\n],\"otherData\":" << text_of(metadata) << "}\n"; }

}  // namespace dflash
