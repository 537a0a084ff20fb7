// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dflash {

/// A file of framework/report/live as it was when the program was built: "live.html", the page that draws status.json
/// (`live_json`) anew each second. Throws InternalError where there is none of that name.
std::string_view live_page_file(std::string_view name);

}  // namespace dflash
