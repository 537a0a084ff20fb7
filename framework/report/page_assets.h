// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dflash {

/// A file of framework/report/page, or the chart library, as it was when the program was built. The name is that of the
/// file ("page.css"). Throws InternalError where there is none.
std::string_view page_asset(std::string_view name);

}  // namespace dflash
