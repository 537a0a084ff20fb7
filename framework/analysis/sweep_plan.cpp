// SPDX-License-Identifier: Apache-2.0
#include "framework/analysis/sweep_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "framework/core/counter_random.h"

namespace dflash {
namespace {

constexpr std::size_t kMostVariants = 256;
constexpr std::size_t kLongestName = 120;
constexpr std::string_view kAllowedAxis = "PATH=VALUE,VALUE or STAGE=TYPE,TYPE, as in queue.capacity=4,20,60";

/// Cuts at commas that stand in no bracket, brace or quotes.
std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  bool escaped = false;
  for (const char c : text) {
    if (c == ',' && depth <= 0 && !quoted) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
    quoted = quoted != (c == '"' && !escaped);
    escaped = c == '\\' && !escaped;
    if (!quoted) {
      depth += c == '[' || c == '{' ? 1 : 0;
      depth -= c == ']' || c == '}' ? 1 : 0;
    }
  }
  return values;
}

SweepVariant merged(const SweepVariant& left, const SweepVariant& right) {
  SweepVariant both = left;
  both.name += (left.name.empty() ? "" : "+") + right.name;
  both.overlays.insert(both.overlays.end(), right.overlays.begin(), right.overlays.end());
  both.swaps.insert(both.swaps.end(), right.swaps.begin(), right.swaps.end());
  both.sets.insert(both.sets.end(), right.sets.begin(), right.sets.end());
  return both;
}

bool may_be_in_a_folder(char c) {
  const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter_or_digit || std::string_view{"._=+-"}.find(c) != std::string_view::npos;
}

void make_names_unique(std::vector<SweepVariant>& variants) {
  std::vector<std::string> taken;
  for (SweepVariant& variant : variants) {
    std::ranges::replace_if(variant.name, [](char c) { return !may_be_in_a_folder(c); }, '_');
    variant.name.resize(std::min(variant.name.size(), kLongestName));
    const std::string name = variant.name;
    for (int number = 2; std::ranges::find(taken, variant.name) != taken.end(); ++number) {
      variant.name = fmt::format("{}~{}", name, number);
    }
    taken.push_back(variant.name);
  }
}

std::vector<SweepVariant> product(const std::vector<SweepAxis>& axes) {
  std::vector<SweepVariant> variants(1);
  for (const SweepAxis& axis : axes) {
    std::vector<SweepVariant> longer;
    for (const SweepVariant& variant : variants) {
      for (const SweepVariant& next : axis) {
        longer.push_back(merged(variant, next));
      }
    }
    variants = std::move(longer);
  }
  return variants;
}

std::vector<SweepVariant> zipped(const std::vector<SweepAxis>& axes) {
  std::vector<SweepVariant> variants(axes.front().size());
  for (const SweepAxis& axis : axes) {
    for (std::size_t i = 0; i < variants.size(); ++i) {
      variants[i] = merged(variants[i], axis[i]);
    }
  }
  return variants;
}

}  // namespace

SweepVariant choice(const std::string& path, const std::string& value) {
  const std::string text = path + "=" + value;
  const bool swaps = path.find('.') == std::string::npos;
  return {.name = text,
          .overlays = {},
          .swaps = swaps ? std::vector{text} : std::vector<std::string>{},
          .sets = swaps ? std::vector<std::string>{} : std::vector{text}};
}

SweepAxis parse_axis(const std::string& text, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  const std::vector<std::string> values =
      values_of(equals == std::string::npos ? std::string_view{} : std::string_view{text}.substr(equals + 1));
  const bool gap = std::ranges::any_of(values, &std::string::empty);
  if (equals == std::string::npos || equals == 0 || gap) {
    diagnostics.add(fmt::format("--vary {}", text), "", fmt::format("found '{}', allowed: {}", text, kAllowedAxis));
    return {};
  }
  SweepAxis axis;
  for (const std::string& value : values) {
    axis.push_back(choice(text.substr(0, equals), value));
  }
  return axis;
}

std::vector<SweepVariant> combine(const std::vector<SweepAxis>& axes, bool zip, Diagnostics& diagnostics) {
  std::size_t count = axes.empty() ? 0 : 1;
  for (const SweepAxis& axis : axes) {
    count = zip ? axis.size() : std::min(count * axis.size(), kMostVariants + 1);
    if (zip && axis.size() != axes.front().size()) {
      diagnostics.add("--zip", "",
                      fmt::format("found lists of {} and {} values, allowed: lists of one length", axes.front().size(),
                                  axis.size()));
      return {};
    }
  }
  if (count < 2 || count > kMostVariants) {
    diagnostics.add("sweep", "",
                    count < 2 ? "found less than two variants; allowed: two at least, by --vary or --sweep"
                              : fmt::format("found more than {} variants, allowed: at most as many", kMostVariants));
    return {};
  }
  std::vector<SweepVariant> variants = zip ? zipped(axes) : product(axes);
  make_names_unique(variants);
  return variants;
}

std::vector<std::size_t> round_order(std::size_t count, std::int64_t round, std::uint64_t seed) {
  std::vector<std::size_t> shuffled(count);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  std::ranges::sort(shuffled, {}, [&](std::size_t variant) { return counter_random(seed, {variant}); });
  const auto turn = static_cast<std::size_t>(round - 1);
  std::vector<std::size_t> order;
  for (std::size_t place = 0; place < count; ++place) {
    // 0, 1, n-1, 2, n-2, ...: each step between neighbours once.
    const std::size_t zigzag = place % 2 == 1 ? (place + 1) / 2 : (count - place / 2) % count;
    order.push_back(shuffled[(zigzag + turn) % count]);
  }
  if (count % 2 == 1 && turn / count % 2 == 1) {
    std::ranges::reverse(order);  // an odd number of variants needs both for each to follow every other one as often
  }
  return order;
}

}  // namespace dflash
