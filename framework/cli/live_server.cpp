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
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;

}  // namespace

LiveServer::LiveServer(const LiveAddress& address) : address_{address}, server_{address.host, address.port} {
  address_.port = server_.port();
}

void LiveServer::start(Look look) {
  look_ = std::move(look);
  server_.start([this](const HttpRequest& request) { return respond(request); });
}

LiveRun LiveServer::look() {
  const std::lock_guard lock{mutex_};
  const Clock::time_point now = Clock::now();
  if (looked_at_ == Clock::time_point{} || now - looked_at_ >= kBetweenLooks) {
    last_ = look_();
    looked_at_ = now;
  }
  return last_;
}

HttpResponse LiveServer::respond(const HttpRequest& request) {
  if (address_.is_loopback && !names_loopback(request.host)) {
    return {.status = kForbidden, .body = "this page is for this machine: ask for it by localhost or 127.0.0.1\n"};
  }
  if (request.path == "/") {
    return {.type = "text/html; charset=utf-8", .body = std::string{live_page_file("live.html")}};
  }
  if (request.path == "/status.json") {
    return {.type = "application/json", .body = text_of(live_json(look())) + "\n"};
  }
  if (request.path == "/metrics") {
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = prometheus_text(look())};
  }
  return {.status = kNotFound, .body = "there are /, /status.json and /metrics\n"};
}

}  // namespace dflash
