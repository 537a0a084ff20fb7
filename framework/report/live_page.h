// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dflash {

/// The page that draws status.json (`live_json`) anew each second: one file that needs nothing else.
std::string live_page();

/// A file of framework/report/live as it was when the program was built. Throws InternalError where there is none of
/// that name.
std::string_view live_page_file(std::string_view name);

}  // namespace dflash
