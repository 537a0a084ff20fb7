// SPDX-License-Identifier: Apache-2.0
#include "stages/evaluate/summary_table.h"

#include <cmath>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dflash {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kLabelWidth = 38;
constexpr const char* kAbsent = "not measured";

std::optional<double> number_at(const Json& json, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_number()) {
    return std::nullopt;
  }
  return json.at(place).get<double>();
}

std::string text_at(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_string() ? json.at(key).get<std::string>() : std::string(kAbsent);
}

std::string decimals(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : std::string(kAbsent);
}

std::string percent(std::optional<double> value) {
  return value ? fmt::format("{:.1f} %", *value * 100.0) : std::string(kAbsent);
}

/// 12345.6 as "12,346".
std::string thousands(std::optional<double> value) {
  if (!value) {
    return kAbsent;
  }
  std::string digits = fmt::format("{:.0f}", *value);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(digits.begin() + place, ',');
  }
  return digits;
}

/// Gathers rows of a label and a value, with the values in one column.
class Rows {
 public:
  void title(const std::string& text) { text_ += (text_.empty() ? "" : "\n") + text + "\n"; }
  void row(const std::string& label, const std::string& value) {
    text_ += fmt::format("  {:<{}}{}\n", label, kLabelWidth, value);
  }
  void paragraph(const std::string& text) {
    std::istringstream words(text);
    std::size_t width = 0;
    for (std::string word; words >> word; width += 1 + word.size()) {
      if (width == 0 || width + 1 + word.size() > kColumns) {
        text_ += width == 0 ? " " : "\n ";
        width = 1;
      }
      text_ += " " + word;
    }
    text_ += '\n';
  }
  void verbatim(const std::string& text) { text_ += text + "\n"; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_acceptance(Rows& rows, const Json& summary) {
  const auto tau = [&](const char* pointer) { return decimals(number_at(summary, pointer), 2); };
  rows.title(fmt::format("Acceptance length ({} held-out prompts, {} new tokens, block {})",
                         thousands(number_at(summary, "/after/prompts")),
                         thousands(number_at(summary, "/after/new_tokens")),
                         thousands(number_at(summary, "/after/block_size"))));
  rows.row("tau before training", tau("/before/tau"));
  rows.row("tau after training", tau("/after/tau"));
  rows.row("  on the half of lower overlap", tau("/after/lower_overlap/tau"));
  rows.row(fmt::format("  sampled at temperature {}", decimals(number_at(summary, "/after/sampled/temperature"), 1)),
           tau("/after/sampled/tau"));
  rows.row("  by replay (teacher-forced)", tau("/after/replay/tau"));
  rows.row("  mean of the prompts' own means", tau("/after/tau_of_prompts"));
  rows.paragraph(
      "tau: tokens a round, accepted drafts and the bonus token, over all rounds of all prompts; greedy decoding.");
}

void add_speed_rows(Rows& rows, const Json& summary, const std::string& section, const std::string& how) {
  const auto plain = number_at(summary, section + "/plain_tokens_per_s");
  const auto speculative = number_at(summary, section + "/speculative_tokens_per_s");
  const std::string gain =
      plain && speculative && *plain > 0.0 ? fmt::format("  ({:.2f} x)", *speculative / *plain) : "";
  rows.row("plain decoding, " + how, thousands(plain));
  rows.row("speculative decoding, " + how, thousands(speculative) + gain);
}

void add_speed(Rows& rows, const Json& summary) {
  rows.title("Speed, tok/s");
  add_speed_rows(rows, summary, "/after", "one prompt");
  add_speed_rows(rows, summary, "/after/batch", "one batch");
  rows.row("training", thousands(number_at(summary, "/training_tokens_per_s")));
}

void add_overlap(Rows& rows, const Json& summary) {
  const auto equal = number_at(summary, "/after/equal_to_plain");
  rows.title("The answers");
  rows.row("distinct 8-grams within an answer", percent(number_at(summary, "/after/overlap/distinct_8grams")));
  rows.row("their 8-grams in the training answers", percent(number_at(summary, "/after/overlap/in_training")));
  rows.row(
      "equal to plain greedy decoding",
      equal ? fmt::format("{} of {}", thousands(equal), thousands(number_at(summary, "/after/prompts"))) : kAbsent);
}

}  // namespace

std::string summary_table(const Json& summary) {
  Rows rows;
  rows.title("Loss");
  rows.row("first step", decimals(number_at(summary, "/loss/first"), 3));
  rows.row("last step", decimals(number_at(summary, "/loss/last"), 3));
  add_acceptance(rows, summary);
  add_speed(rows, summary);
  add_overlap(rows, summary);
  rows.title("Bottleneck");
  rows.paragraph(text_at(summary, "bottleneck"));
  rows.title("A held-out answer; what the drafter proposed and the target accepted is marked");
  rows.verbatim(summary.contains("story") ? text_at(summary, "story") : std::string("  ") + kAbsent);
  rows.title("Report");
  rows.verbatim("  " + text_at(summary, "report"));
  return rows.text();
}

}  // namespace dflash
