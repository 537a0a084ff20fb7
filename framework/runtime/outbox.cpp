// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/outbox.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "framework/runtime/stage_driver.h"

namespace dflash {

void Outbox::add(EdgeQueue& edge, std::size_t index, const OutputPort& port, StageDriver& consumer) {
  links_of_port_[port.index()].push_back(links_.size());
  links_.push_back({.edge = &edge, .index = index, .consumer = &consumer, .held = {}});
}

bool Outbox::goes_behind(const Link& link) const {
  return producer_->feeds_behind() && link.consumer->is_after_steps();
}

bool Outbox::has_credit(Enabler& last) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const EdgeQueue::Credit credit = links_[i].edge->credit();
    if (!credit.available) {
      return false;
    }
    last.latest({.kind = Enabler::Kind::kOutput, .port = i, .at = credit.since});
  }
  return true;
}

bool Outbox::flush(std::size_t position, std::int64_t now, Enabler& last) {
  Link& link = links_[position];
  std::size_t gone = 0;
  for (; gone < link.held.size(); ++gone) {
    const EdgeQueue::Pushed pushed = push(link, link.held[gone], now);
    if (!pushed.accepted) {
      break;
    }
    last.latest({.kind = Enabler::Kind::kOutput, .port = position, .at = pushed.credit_since});
  }
  link.held.erase(link.held.begin(), link.held.begin() + static_cast<std::ptrdiff_t>(gone));
  return link.held.empty();
}

bool Outbox::flush(Enabler& last) {
  const std::int64_t now = run_->now();
  bool all_gone = true;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    all_gone = flush(i, now, last) && all_gone;
  }
  is_holding_ = !all_gone;
  return all_gone;
}

bool Outbox::flush_behind_steps(Enabler& last) {
  const std::int64_t now = run_->now();
  bool all_gone = true;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].consumer->is_after_steps()) {
      all_gone = flush(i, now, last) && all_gone;
    }
  }
  return all_gone;
}

void Outbox::send(StagedItem& staged, std::int64_t now) {
  if (staged.item.seq < first_delivered_[staged.port]) {
    return;
  }
  const std::vector<std::size_t>& links = links_of_port_[staged.port];
  for (std::size_t i = 0; i < links.size(); ++i) {
    send(links_[links[i]], i + 1 < links.size() ? staged.item.share() : std::move(staged.item), now);
  }
}

void Outbox::send(Link& link, Item item, std::int64_t now) {
  if (goes_behind(link)) {
    run_->add_behind(1);
  }
  if (!link.held.empty() || !push(link, item, now).accepted) {
    link.held.push_back(std::move(item));
    is_holding_ = true;
  }
}

EdgeQueue::Pushed Outbox::push(Link& link, Item& item, std::int64_t now) {
  const EdgeQueue::Pushed pushed = link.edge->try_push(item, now);
  if (pushed.wake_consumer) {
    link.consumer->wake();
  }
  if (goes_behind(link) && pushed.lost > 0) {
    run_->remove_behind(pushed.lost);
  }
  if (pushed.overflowed) {
    // Its consumer may have taken an item meanwhile, so how full it was is not asked again.
    throw std::runtime_error(fmt::format("edge '{}' is full (capacity {} items), which its when_full calls an error",
                                         link.edge->name(), link.edge->capacity().items));
  }
  return pushed;
}

void Outbox::end(Link& link, std::int64_t now) {
  if (link.edge->end(now)) {
    link.consumer->wake();
  }
}

void Outbox::end(std::int64_t now) {
  for (Link& link : links_) {
    end(link, now);
  }
}

void Outbox::end_behind_steps(std::int64_t now) {
  for (Link& link : links_) {
    if (link.consumer->is_after_steps()) {
      end(link, now);
    }
  }
}

std::optional<std::size_t> Outbox::first_held() const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!links_[i].held.empty()) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Outbox::first_without_credit() {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!links_[i].edge->credit().available) {
      return i;
    }
  }
  return std::nullopt;
}

void Outbox::abandon(std::vector<EdgeRecord>& edges) const {
  for (const Link& link : links_) {
    const auto held = static_cast<std::int64_t>(link.held.size());
    edges[link.index].items += held;
    edges[link.index].abandoned += held;
  }
}

}  // namespace dflash
