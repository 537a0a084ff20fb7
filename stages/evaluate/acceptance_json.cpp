// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stages/evaluate/acceptance_evaluation.h"

namespace dflash {
namespace {

Json slots_json(const std::vector<SlotAcceptance>& slots) {
  Json list = Json::array();
  for (const SlotAcceptance& slot : slots) {
    list.push_back({{"slot", list.size() + 1},
                    {"offered", slot.offered},
                    {"reached", slot.reached},
                    {"accepted", slot.accepted},
                    {"marginal", slot.marginal()},
                    {"conditional", slot.conditional()}});
  }
  return list;
}

Json tags_json(const std::vector<TagAcceptance>& tags) {
  Json list = Json::array();
  for (const TagAcceptance& tag : tags) {
    list.push_back({{"tag", tag.tag},
                    {"tau", tag.greedy.tau},
                    {"tau_of_prompts", tag.greedy.tau_of_prompts},
                    {"accepted_drafts", tag.greedy.accepted_drafts},
                    {"prompts", tag.greedy.prompts},
                    {"rounds", tag.greedy.rounds}});
  }
  return list;
}

Json contexts_json(const std::vector<ContextAcceptance>& contexts) {
  Json list = Json::array();
  for (const ContextAcceptance& context : contexts) {
    list.push_back({{"behind", context.behind},
                    {"rounds", context.rounds},
                    {"tau", static_cast<double>(context.tokens) / static_cast<double>(context.rounds)}});
  }
  return list;
}

void add_speed(const AcceptanceReport& report, Json& json) {
  if (report.speed) {
    json["plain_tokens_per_s"] = report.speed->plain;
    json["speculative_tokens_per_s"] = report.speed->speculative;
  }
  if (!report.cost) {
    return;
  }
  const RoundCost& cost = *report.cost;
  json["cost"] = {{"batch", 1},
                  {"context", cost.context},
                  {"draft_ms", cost.draft_ms},
                  {"verify_ms", cost.verify_ms},
                  {"plain_ms", cost.plain_ms},
                  {"speedup", cost.speedup}};
  if (cost.speedup < 1.0) {
    json["warnings"] = Json::array({fmt::format(
        "this drafter does not pay: at batch 1 a round takes {:.2f} ms for {:.2f} tokens, plain decoding {:.2f} ms for "
        "one ({:.2f} x)",
        cost.draft_ms + cost.verify_ms, report.greedy.tau, cost.plain_ms, cost.speedup)});
  }
}

void add_batch(const AcceptanceReport& report, Json& json) {
  if (!report.batch_speed) {
    return;
  }
  json["batch"] = {{"plain_tokens_per_s", report.batch_speed->plain},
                   {"speculative_tokens_per_s", report.batch_speed->speculative}};
  json["equal_to_plain"] = *report.equal_to_plain;
  json["first_differences"] = Json::array();
  for (const FirstDifference& difference : report.first_differences) {
    json["first_differences"].push_back({{"prompt", difference.prompt}, {"token", difference.token}});
  }
}

}  // namespace

Json to_json(const AcceptanceReport& report) {
  Json json{{"tau", report.greedy.tau},
            {"tau_of_prompts", report.greedy.tau_of_prompts},
            {"accepted_drafts", report.greedy.accepted_drafts},
            {"slot_acceptance", report.greedy.slot_acceptance},
            {"slots", slots_json(report.greedy.slots)},
            {"prompts", report.greedy.prompts},
            {"rounds", report.greedy.rounds},
            {"tokens", report.greedy.tokens},
            {"block_size", report.block_size},
            {"new_tokens", report.new_tokens}};
  if (!report.tags.empty()) {
    json["tags"] = tags_json(report.tags);
  }
  json["contexts"] = contexts_json(report.contexts);
  if (report.lower_overlap) {
    json["lower_overlap"] = {{"tau", report.lower_overlap->tau}, {"prompts", report.lower_overlap->prompts}};
  }
  if (report.sampled) {
    json["sampled"] = {{"temperature", report.sampled_temperature}, {"tau", report.sampled->tau}};
  }
  if (report.replay) {
    json["replay"] = {{"tau", report.replay->tau}};
  }
  add_speed(report, json);
  add_batch(report, json);
  json["overlap"] = {{"distinct_8grams", report.distinct_ngrams}};
  if (report.overlap) {
    json["overlap"]["in_training"] = report.overlap->in_training;
  }
  json["seconds"] = report.seconds;
  return json;
}

}  // namespace dflash
