// SPDX-License-Identifier: Apache-2.0
#include "framework/core/diagnostics.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/core/error.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestMessage = 2000;
constexpr std::size_t kMostKnown = 40;

// Cuts between characters, never inside one.
std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return std::string{text};
  }
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) {
    --limit;
  }
  return fmt::format("{}...", text.substr(0, limit));
}

// Where what is not known here may have been meant to come from.
std::string_view source_of(std::string_view what) {
  return what == "stage type" ? "; those of a plugin need --plugin FILE" : "";
}

// The edit distance of a name of megabytes is not worth its time.
std::string advice(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) {
    return "; none is known here";
  }
  const std::string nearest = name.size() <= kLongestName ? nearest_name(name, known) : "";
  if (!nearest.empty()) {
    return fmt::format("; did you mean '{}'?", nearest);
  }
  if (known.size() <= kMostKnown) {
    return fmt::format("; known: {}", fmt::join(known, ", "));
  }
  return fmt::format("; known: {}, and {} more", fmt::join(known.begin(), known.begin() + kMostKnown, ", "),
                     known.size() - kMostKnown);
}

}  // namespace

void Diagnostics::add(std::string_view place, std::string_view pointer, std::string_view message) {
  if (full()) {
    return;
  }
  const auto part = [](const std::string& where) { return where.empty() ? "" : fmt::format("{}: ", where); };
  std::string mistake = fmt::format("{}{}{}", part(std::string{place}), part(shortened(pointer, kLongestMessage)),
                                    shortened(message, kLongestMessage));
  if (std::ranges::find(mistakes_, mistake) == mistakes_.end()) {
    mistakes_.push_back(std::move(mistake));
    pointers_.emplace_back(pointer);
  }
}

bool Diagnostics::has_any_at(std::string_view pointer) const {
  return std::ranges::any_of(pointers_, [&](const std::string& known) {
    return known.starts_with(pointer) && (known.size() == pointer.size() || known[pointer.size()] == '/');
  });
}

void Diagnostics::add_unknown(std::string_view place, std::string_view pointer, std::string_view what,
                              std::string_view name, const std::vector<std::string>& known) {
  if (!full()) {
    const std::string advised = advice(name, known);
    const bool is_slip = advised.find("did you mean") != std::string::npos;
    add(place, pointer,
        fmt::format("unknown {} '{}'{}{}", what, shortened(name, kLongestName), advised,
                    is_slip ? "" : source_of(what)));
  }
}

void Diagnostics::throw_if_any() const {
  DFLASH_USER_CHECK(mistakes_.size() != 1, "{}", mistakes_.front());
  DFLASH_USER_CHECK(mistakes_.empty(), "{} mistakes{}:\n  {}", mistakes_.size(), full() ? ", or more" : "",
                    fmt::join(mistakes_, "\n  "));
}

}  // namespace dflash
