// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/live_server.h"

#include <utility>

#include "framework/core/json_syntax.h"
#include "framework/report/live_json.h"
#include "framework/report/live_page.h"
#include "framework/report/prometheus_text.h"

namespace dflash {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr std::chrono::milliseconds kOpenFor{
    2500};  // a page that is open has asked twice since: it does so each second
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;

}  // namespace

LiveServer::LiveServer(const LiveAddress& address) : address_{address}, server_{address.host, address.port} {
  address_.port = server_.port();
}

void LiveServer::start(Look look) {
  {
    const std::lock_guard lock{mutex_};
    look_ = std::move(look);
  }
  server_.start([this](const HttpRequest& request) { return respond(request); });
}

void LiveServer::look_again() {
  if (look_) {
    last_ = look_();
    looked_at_ = Clock::now();
  }
}

void LiveServer::look_away() {
  const std::lock_guard lock{mutex_};
  look_again();
  look_ = nullptr;
}

LiveRun LiveServer::look() {
  const std::lock_guard lock{mutex_};
  if (looked_at_ == Clock::time_point{} || Clock::now() - looked_at_ >= kBetweenLooks) {
    look_again();
  }
  return last_;
}

void LiveServer::tell_end(LiveEnd end, std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  look_again();
  look_ = nullptr;
  last_.end = std::move(end);
  const Clock::time_point now = Clock::now();
  if (asked_before_ != Clock::time_point{} && now - asked_before_ < kOpenFor) {
    told_.wait_until(lock, now + patience, [this] { return has_told_end_; });
  }
}

HttpResponse LiveServer::status() {
  const LiveRun run = look();
  {
    const std::lock_guard lock{mutex_};
    asked_before_ = std::exchange(asked_at_, Clock::now());
  }
  HttpResponse response{.type = "application/json", .body = text_of(live_json(run)) + "\n"};
  if (run.end) {
    response.sent = [this] {
      const std::lock_guard lock{mutex_};
      has_told_end_ = true;
      told_.notify_all();
    };
  }
  return response;
}

HttpResponse LiveServer::respond(const HttpRequest& request) {
  if (address_.is_loopback && !names_loopback(request.host)) {
    return {.status = kForbidden, .body = "this page is for this machine: ask for it by localhost or 127.0.0.1\n"};
  }
  if (request.path == "/") {
    return {.type = "text/html; charset=utf-8", .body = live_page()};
  }
  if (request.path == "/status.json") {
    return status();
  }
  if (request.path == "/history.json") {
    return {.type = "application/json", .body = text_of(history_.json()) + "\n"};
  }
  if (request.path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = prometheus_text(look())};
  }
  return {.status = kNotFound, .body = "there are /, /status.json, /history.json and /metrics\n"};
}

}  // namespace dflash
