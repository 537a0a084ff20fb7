// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/origin.h"

#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"
#include "framework/runtime/cut_file.h"

namespace dflash {
namespace {

std::pair<std::int64_t, std::int64_t> moment_of(const std::string& text) {
  const StagePosition position = position_from_json(Json::parse(text));
  return {position.firings, std::accumulate(position.delivered.begin(), position.delivered.end(), std::int64_t{0})};
}

void merge_into(Origin& merged, const Origin& other) {
  for (const auto& [name, text] : other) {
    const auto [place, is_new] = merged.emplace(name, text);
    if (!is_new && place->second != text && moment_of(text) < moment_of(place->second)) {
      place->second = text;
    }
  }
}

}  // namespace

Json to_json(const StagePosition& position) {
  return Json{{"firings", position.firings},
              {"outputs", position.outputs},
              {"delivered", position.delivered},
              {"inputs", position.inputs},
              {"state", position.state}};
}

StagePosition position_from_json(const Json& json) {
  return {.firings = whole_number(json.at("firings")),
          .outputs = whole_numbers(json.at("outputs")),
          .delivered = whole_numbers(json.at("delivered")),
          .inputs = whole_numbers(json.at("inputs")),
          .state = json.at("state")};
}

OriginPointer merge_origins(const std::vector<OriginPointer>& origins) {
  OriginPointer only;
  std::shared_ptr<Origin> merged;
  for (const OriginPointer& origin : origins) {
    if (origin == nullptr || origin == only) {
      continue;
    }
    if (only == nullptr) {
      only = origin;
      continue;
    }
    if (merged == nullptr) {
      merged = std::make_shared<Origin>(*only);
    }
    merge_into(*merged, *origin);
  }
  return merged != nullptr ? merged : only;
}

OriginTracker::OriginTracker(std::string name, const Stage& stage)
    : name_{std::move(name)},
      stage_{&stage},
      is_buffer_{dynamic_cast<const Buffer*>(&stage) != nullptr},
      taken_(stage.inputs().size()),
      next_in_(stage.inputs().size()) {}

void OriginTracker::start(std::vector<OriginPointer> producers, const StagePosition* resumed) {
  tracks_ = true;
  taken_ = std::move(producers);
  if (resumed != nullptr) {
    position_ = *resumed;
    next_in_ = resumed->inputs;
  } else {
    position_.outputs.resize(stage_->outputs().size());
    position_.delivered.resize(stage_->outputs().size());
  }
  next_in_.resize(stage_->inputs().size());
  Snapshot now;
  stage_->save(now);
  position_.inputs = is_buffer_ ? std::vector<std::int64_t>{} : next_in_;
  position_.state = std::move(now.values);
  const OriginPointer upstream = merge_origins(taken_);
  start_ = upstream;
  const bool takes_part = upstream != nullptr || !position_.state.empty() || resumed != nullptr;
  last_ = takes_part ? with_own(upstream, position_) : nullptr;
  mark_boundary(position_.firings, position_.outputs);
}

void OriginTracker::remember(std::size_t input, const Item& item) {
  next_in_[input] = item.seq + 1;
  if (item.origin != nullptr) {
    taken_[input] = item.origin;
  }
}

OriginPointer OriginTracker::with_own(const OriginPointer& base, const StagePosition& position) const {
  auto origin = base != nullptr ? std::make_shared<Origin>(*base) : std::make_shared<Origin>();
  (*origin)[name_] = to_json(position).dump();
  return origin;
}

void OriginTracker::mark_staged(std::vector<StagedItem>& staged, std::int64_t firings,
                                const std::vector<std::int64_t>& next_seq) {
  Snapshot now;
  stage_->save(now);
  const OriginPointer& carried = staged.back().item.origin;
  const OriginPointer base = carried != nullptr ? carried : is_buffer_ ? start_ : merge_origins(taken_);
  if (base == nullptr && last_ == nullptr && now.values.empty()) {
    return;
  }
  StagePosition part = position_;
  for (std::size_t i = 0; i + 1 < staged.size(); ++i) {
    part.delivered[staged[i].port] = staged[i].item.seq + 1;
    staged[i].item.origin = with_own(last_, part);
  }
  position_ = {.firings = firings,
               .outputs = next_seq,
               .delivered = next_seq,
               .inputs = is_buffer_ ? std::vector<std::int64_t>{} : next_in_,
               .state = std::move(now.values)};
  last_ = with_own(base, position_);
  staged.back().item.origin = last_;
}

void OriginTracker::mark_boundary(std::int64_t firings, std::vector<std::int64_t> next_seq) {
  boundary_ = {.firings = firings, .origins = taken_, .inputs = next_in_, .outputs = std::move(next_seq)};
}

void OriginTracker::save_cut(const std::filesystem::path& folder) const {
  Cut cut;
  if (const OriginPointer upstream = merge_origins(boundary_.origins)) {
    for (const auto& [name, text] : *upstream) {
      cut[name] = position_from_json(Json::parse(text));
    }
  }
  const std::filesystem::path own_folder = folder / name_;
  std::filesystem::create_directories(own_folder);
  Snapshot own{.folder = own_folder};
  stage_->save(own);
  if (std::filesystem::is_empty(own_folder)) {
    std::filesystem::remove(own_folder);
  }
  cut[name_] = {.firings = boundary_.firings,
                .outputs = boundary_.outputs,
                .delivered = boundary_.outputs,
                .inputs = boundary_.inputs,
                .state = std::move(own.values)};
  write_cut(folder, cut);
}

}  // namespace dflash
