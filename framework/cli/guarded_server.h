// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace dflash {

struct HttpRequest {
  std::string path;  // "/metrics"
  std::string host;  // the Host header; empty: there was none
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::function<void()> sent{};  // called once all of it was given to the system for that client; may be empty
};

struct ServerLimits {
  std::chrono::milliseconds patience{2000};         // with one connection, from its begin to its last byte
  std::size_t most_bytes = std::size_t{16} * 1024;  // of one request
  std::size_t most_connections = 32;                // at once
};

/// An HTTP server beside work that matters more. Whoever connects, and whatever he sends or does not: each connection
/// is one GET, answered and closed within the limits; connections beyond them are closed unread; its threads give way
/// to all others; and `stop` waits for no client.
class GuardedServer {
 public:
  using Respond = std::function<HttpResponse(const HttpRequest& request)>;

  /// Connections to that address (an IP address, without brackets) are accepted from now on, and answered once the
  /// server has started. Port 0 takes a free one. Throws UserError where it cannot be had.
  GuardedServer(const std::string& host, int port, const ServerLimits& limits = {});
  GuardedServer(const GuardedServer&) = delete;
  GuardedServer& operator=(const GuardedServer&) = delete;
  /// Stops.
  ~GuardedServer();

  [[nodiscard]] int port() const;
  /// Once. `respond` is called from several threads; what it throws becomes status 500.
  void start(Respond respond);
  /// Closes what is open. Once it has returned, nothing is answered and `respond` does not run.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dflash
