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
constexpr std::size_t kMostSlots = 15;   // printed
constexpr std::size_t kMostPlaces = 10;  // of first differences, printed

using Text = std::optional<std::string>;  // nothing: not measured

std::optional<double> number_at(const Json& json, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_number()) {
    return std::nullopt;
  }
  return json.at(place).get<double>();
}

Text decimals(std::optional<double> value, int digits) {
  return value ? Text{fmt::format("{:.{}f}", *value, digits)} : std::nullopt;
}

Text percent(std::optional<double> value) {
  return value ? Text{fmt::format("{:.1f} %", *value * 100.0)} : std::nullopt;
}

/// 12345.6 as "12,346".
Text thousands(std::optional<double> value) {
  if (!value) {
    return std::nullopt;
  }
  std::string digits = fmt::format("{:.0f}", *value);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(digits.begin() + place, ',');
  }
  return digits;
}

/// Gathers rows of a label and a value, with the values in one column. What was not measured is left out, and so is a
/// part that has nothing.
class Rows {
 public:
  void part(const std::string& title) { title_ = title; }
  void row(const std::string& label, const Text& value) {
    if (value) {
      begin_part();
      text_ += fmt::format("  {:<{}}{}\n", label, kLabelWidth, *value);
    }
  }
  /// Only behind a row of its part.
  void paragraph(const std::string& text) {
    if (!title_.empty()) {
      return;
    }
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
  void verbatim(const std::string& text) {
    begin_part();
    text_ += text + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void begin_part() {
    if (!title_.empty()) {
      text_ += (text_.empty() ? "" : "\n") + title_ + "\n";
      title_.clear();
    }
  }

  std::string title_;  // of a part that has nothing yet
  std::string text_;
};

std::string acceptance_title(const Json& summary) {
  const Text prompts = thousands(number_at(summary, "/after/prompts"));
  const Text tokens = thousands(number_at(summary, "/after/new_tokens"));
  const Text block = thousands(number_at(summary, "/after/block_size"));
  const std::string title = "Acceptance length";
  return prompts && tokens && block
             ? fmt::format("{} ({} held-out prompts, {} new tokens, block {})", title, *prompts, *tokens, *block)
             : title;
}

/// The list at a pointer; empty where there is none.
Json list_at(const Json& summary, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return summary.contains(place) && summary.at(place).is_array() ? summary.at(place) : Json::array();
}

/// One share of each slot, in per cent: "81 62 45".
Text slot_shares(const Json& summary, const char* share) {
  std::string text;
  for (const Json& slot : list_at(summary, "/after/slots")) {
    if (slot.at("slot").get<std::size_t>() > kMostSlots) {
      text += " ...";
      break;
    }
    text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", 100.0 * slot.at(share).get<double>());
  }
  return text.empty() ? Text{} : text + " %";
}

void add_tags(Rows& rows, const Json& summary) {
  for (const Json& tag : list_at(summary, "/after/tags")) {
    const auto name = tag.at("tag").get<std::string>();
    rows.row(name.empty() ? "  without a tag" : fmt::format("  tag '{}'", name),
             fmt::format("{:.2f}  ({} prompts)", tag.at("tau").get<double>(), tag.at("prompts").get<std::int64_t>()));
  }
}

void add_acceptance(Rows& rows, const Json& summary) {
  const auto tau = [&](const char* pointer) { return decimals(number_at(summary, pointer), 2); };
  rows.part(acceptance_title(summary));
  rows.row("tau before training", tau("/before/tau"));
  rows.row(summary.value("trained", true) ? "tau after training" : "tau", tau("/after/tau"));
  rows.row("  drafts alone, without the bonus", tau("/after/accepted_drafts"));
  add_tags(rows, summary);
  rows.row("  on the half of lower overlap", tau("/after/lower_overlap/tau"));
  if (const Text temperature = decimals(number_at(summary, "/after/sampled/temperature"), 1)) {
    rows.row(fmt::format("  sampled at temperature {}", *temperature), tau("/after/sampled/tau"));
  }
  rows.row("  by replay (teacher-forced)", tau("/after/replay/tau"));
  rows.row("  mean of the prompts' own means", tau("/after/tau_of_prompts"));
  rows.row("  each slot, of rounds that had it", slot_shares(summary, "marginal"));
  rows.row("  each slot, behind an accepted one", slot_shares(summary, "conditional"));
  rows.paragraph(
      "tau: tokens a round, accepted drafts and the bonus token, over all rounds of all prompts; greedy decoding.");
}

void add_speed_rows(Rows& rows, const Json& summary, const std::string& section, const std::string& how) {
  const auto plain = number_at(summary, section + "/plain_tokens_per_s");
  const auto speculative = number_at(summary, section + "/speculative_tokens_per_s");
  rows.row("plain decoding, " + how, thousands(plain));
  if (const Text speed = thousands(speculative)) {
    const std::string gain = plain && *plain > 0.0 ? fmt::format("  ({:.2f} x)", *speculative / *plain) : "";
    rows.row("speculative decoding, " + how, *speed + gain);
  }
}

void add_speed(Rows& rows, const Json& summary) {
  rows.part("Speed, tok/s");
  add_speed_rows(rows, summary, "/after", "one prompt");
  add_speed_rows(rows, summary, "/after/batch", "one batch");
  rows.row("training", thousands(number_at(summary, "/training_tokens_per_s")));
}

void add_cost(Rows& rows, const Json& summary) {
  const auto value = [&](const char* key) { return number_at(summary, std::string("/after/cost/") + key); };
  rows.part("One round, one prompt, ms");
  rows.row("drafting", decimals(value("draft_ms"), 2));
  rows.row("verifying", decimals(value("verify_ms"), 2));
  rows.row("plain decoding of one token", decimals(value("plain_ms"), 2));
  if (const Text speedup = decimals(value("speedup"), 2)) {
    rows.row("estimated speed-up",
             fmt::format("{} x  (behind {} tokens on average)", *speedup, thousands(value("context")).value_or("?")));
  }
  for (const Json& warning : list_at(summary, "/after/warnings")) {
    rows.paragraph("warning: " + warning.get<std::string>());
  }
}

/// "12 40 51", the first few.
Text difference_places(const Json& summary) {
  std::string text;
  const Json differences = list_at(summary, "/after/first_differences");
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (i == kMostPlaces) {
      return text + " ...";
    }
    text += fmt::format("{}{}", text.empty() ? "" : " ", differences[i].at("token").get<std::int64_t>());
  }
  return text.empty() ? Text{} : text;
}

void add_answers(Rows& rows, const Json& summary) {
  rows.part("The answers");
  rows.row("distinct 8-grams within an answer", percent(number_at(summary, "/after/overlap/distinct_8grams")));
  rows.row("their 8-grams in the training answers", percent(number_at(summary, "/after/overlap/in_training")));
  const Text equal = thousands(number_at(summary, "/after/equal_to_plain"));
  const Text prompts = thousands(number_at(summary, "/after/prompts"));
  if (equal && prompts) {
    rows.row("equal to plain greedy decoding", fmt::format("{} of {}", *equal, *prompts));
    rows.row("  first differences, at token", difference_places(summary));
  }
}

}  // namespace

std::string summary_table(const Json& summary) {
  Rows rows;
  rows.part("Loss");
  rows.row("first step", decimals(number_at(summary, "/loss/first"), 3));
  rows.row("last step", decimals(number_at(summary, "/loss/last"), 3));
  add_acceptance(rows, summary);
  add_speed(rows, summary);
  add_cost(rows, summary);
  add_answers(rows, summary);
  if (const std::string story = summary.value("story", ""); !story.empty()) {
    rows.part("A held-out answer; what the drafter proposed and the target accepted is marked");
    rows.verbatim(story);
  }
  return rows.text();
}

}  // namespace dflash
