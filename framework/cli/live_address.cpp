// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/live_address.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

constexpr int kLargestPort = 65535;

/// "host:port" taken apart, without the brackets of an IPv6 address.
std::pair<std::string, std::string> split_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) {
      return {std::string{text}, ""};
    }
    std::string_view rest = text.substr(end + 1);
    rest.remove_prefix(rest.starts_with(':') ? 1 : 0);
    return {std::string{text.substr(1, end - 1)}, std::string{rest}};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return {std::string{text}, ""};
  }
  return {std::string{text.substr(0, colon)}, std::string{text.substr(colon + 1)}};
}

std::optional<int> port_of(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return is_whole && port >= 0 && port <= kLargestPort ? std::optional{port} : std::nullopt;
}

bool is_address(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  return ::inet_pton(AF_INET, host.c_str(), &v4) == 1 || ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

bool is_loopback(const std::string& host) {
  constexpr std::uint32_t kFirstByte = 24;
  constexpr std::uint32_t kLoopbackNet = 127;
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> kFirstByte) == kLoopbackNet;
  }
  return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

constexpr const char* kAllowed = "allowed: PORT, 127.0.0.1:PORT or [::1]:PORT, with 0 for any free port";

}  // namespace

std::string LiveAddress::url() const {
  return host.find(':') == std::string::npos ? fmt::format("http://{}:{}/", host, port)
                                             : fmt::format("http://[{}]:{}/", host, port);
}

LiveAddress parse_live_address(const std::string& text, bool anyone) {
  if (const std::optional<int> port = port_of(text)) {
    return {.port = *port};
  }
  auto [host, port_text] = split_host(text);
  host = host == "localhost" ? "127.0.0.1" : host;
  const std::optional<int> port = port_of(port_text);
  DFLASH_USER_CHECK(port && is_address(host), "--serve: found '{}'; {}", text, kAllowed);
  const LiveAddress address{.host = host, .port = *port, .is_loopback = is_loopback(host)};
  DFLASH_USER_CHECK(address.is_loopback || anyone,
                    "--serve: found '{}', where other machines may read what the run does; {}, or any address with "
                    "--serve-anyone",
                    text, kAllowed);
  return address;
}

std::optional<LiveAddress> requested_address(const std::string& serve, bool anyone) {
  DFLASH_USER_CHECK(!serve.empty() || !anyone, "--serve-anyone needs --serve ADDRESS:PORT");
  return serve.empty() ? std::nullopt : std::optional{parse_live_address(serve, anyone)};
}

bool names_loopback(std::string_view host_header) {
  const std::string host = split_host(host_header).first;
  return host == "localhost" || is_loopback(host);
}

}  // namespace dflash
