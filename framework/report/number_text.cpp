// SPDX-License-Identifier: Apache-2.0
#include "framework/report/number_text.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace dflash {
namespace {

/// Three significant digits for values below 1000.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) {
    return fmt::format("{:.0f}", value);
  }
  return size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

std::string duration_text(double ns) {
  if (ns < 999.5) {
    return fmt::format("{:.0f} ns", ns);
  }
  if (ns < 999.5e3) {
    return three_digits(ns / 1e3) + " us";
  }
  if (ns < 999.5e6) {
    return three_digits(ns / 1e6) + " ms";
  }
  const auto seconds = static_cast<std::int64_t>(std::llround(ns / 1e9));
  if (seconds < 120) {
    return three_digits(ns / 1e9) + " s";
  }
  if (seconds < 7200) {
    return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  }
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string rate_text(double rate) {
  if (rate != 0.0 && std::abs(rate) < 0.0995) {
    return fmt::format("{:.3g}", rate);
  }
  if (std::abs(rate) < 999.5) {
    return three_digits(rate);
  }
  if (std::abs(rate) < 999.5e3) {
    return three_digits(rate / 1e3) + "K";
  }
  return std::abs(rate) < 999.5e6 ? three_digits(rate / 1e6) + "M" : three_digits(rate / 1e9) + "G";
}

std::string percent_text(double share) {
  const double percent = share * 100.0;
  if (percent >= 0.05 && percent < 0.95) {
    return fmt::format("{:.1f} %", percent);
  }
  return fmt::format("{:.0f} %", std::abs(percent));
}

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace dflash
