// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dflash {

/// Numbers as a person reads them in the report; never more than nine columns.

/// "870 ns", "12.3 us", "1.24 ms", "42.1 s", "12m05s", "3h07m".
std::string duration_text(double ns);
/// "0 B", "1.5 KiB", "2.0 GiB".
std::string bytes_text(std::int64_t bytes);
/// Three significant digits: "0.0123", "7.84", "412", "14.5K", "1.20M".
std::string rate_text(double rate);
/// A share from 0 to 1: "0 %", "0.4 %", "12 %", "100 %".
std::string percent_text(double share);
/// "1 worker", "2 workers".
std::string count_text(std::int64_t count, std::string_view noun);

}  // namespace dflash
