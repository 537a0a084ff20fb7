// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dflash {

/// Where the live page is served.
struct LiveAddress {
  std::string host = "127.0.0.1";  // an IP address, without brackets
  int port = 0;                    // 0: a free one
  bool is_loopback = true;

  /// "http://127.0.0.1:9100/", "http://[::1]:9100/".
  [[nodiscard]] std::string url() const;
};

/// Reads "9100", "127.0.0.1:9100", "localhost:9100" or "[::1]:9100". Throws UserError where it is none of these, or an
/// address that other machines may reach and `anyone` is not set.
[[nodiscard]] LiveAddress parse_live_address(const std::string& text, bool anyone);

/// The same of what the command line says; nothing where it does not ask for a live page.
[[nodiscard]] std::optional<LiveAddress> requested_address(const std::string& serve, bool anyone);

/// Whether the Host header of a request names this machine by its loopback: a page from elsewhere, whose name was made
/// to lead here, has another one ("DNS rebinding").
[[nodiscard]] bool names_loopback(std::string_view host_header);

}  // namespace dflash
