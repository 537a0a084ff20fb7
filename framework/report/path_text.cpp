// SPDX-License-Identifier: Apache-2.0
#include "framework/report/path_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/report/number_text.h"
#include "framework/report/report_text.h"
#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kMostPaths = 4;
constexpr double kWorthNaming = 0.01;  // of the whole

std::string words_of(PathPart::Kind kind) {
  switch (kind) {
    case PathPart::Kind::kFiring:
      return "in firings";
    case PathPart::Kind::kDevice:
      return "on the device";
    case PathPart::Kind::kWaiting:
      return "waiting";
  }
  return "";
}

/// "waiting 580 ms (78 %): [queue] 500 ms, ..."; empty where it is next to nothing.
std::string kind_text(const PathLatency& path, PathPart::Kind kind) {
  std::vector<PathPart> parts;
  double sum = 0.0;
  for (const PathPart& part : path.parts) {
    if (part.kind == kind) {
      parts.push_back(part);
      sum += part.mean_ns;
    }
  }
  if (sum < kWorthNaming * path.total.mean()) {
    return "";
  }
  std::erase_if(parts, [&](const PathPart& part) { return part.mean_ns < kWorthNaming * path.total.mean(); });
  std::ranges::stable_sort(parts, std::ranges::greater{}, &PathPart::mean_ns);
  std::vector<std::string> names;
  for (const PathPart& part : parts) {
    names.push_back(fmt::format("{} {}", part.name, duration_text(part.mean_ns)));
  }
  const std::string lead =
      fmt::format("    {} {} ({}): ", words_of(kind), duration_text(sum), percent_text(sum / path.total.mean()));
  return wrapped(lead, fmt::format("{}", fmt::join(names, ", ")), kReportColumns);
}

}  // namespace

std::string paths_part(const std::vector<PathLatency>& paths) {
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kMostPaths); ++i) {
    const PathLatency& path = paths[i];
    text += wrapped("  ",
                    fmt::format("{}: p50 {}, p99 {} ({})", fmt::join(path.stages, " > "),
                                duration_text(static_cast<double>(path.total.quantile(0.5))),
                                duration_text(static_cast<double>(path.total.quantile(0.99))),
                                count_text(path.total.count(), "item")),
                    kReportColumns);
    for (const auto kind : {PathPart::Kind::kFiring, PathPart::Kind::kDevice, PathPart::Kind::kWaiting}) {
      text += kind_text(path, kind);
    }
  }
  return text.empty()
             ? ""
             : "\nPATHS   from the begin of a source's firing to the end of a sink's, along the input that came "
               "last; means\n" +
                   text;
}

}  // namespace dflash
