// SPDX-License-Identifier: Apache-2.0
#include "framework/report/live_page.h"

#include <array>

#include <fmt/format.h>

#include "framework/report/page_assets.h"
#include "framework/report/page_template.h"

namespace dflash {

std::string live_page() {
  // What the page of a finished run has too, then its own; in the order in which they build on each other.
  const std::array scripts{page_asset("numbers.js"),     page_asset("elements.js"),   page_asset("states.js"),
                           live_page_file("looks.js"),   live_page_file("stages.js"), live_page_file("edges.js"),
                           live_page_file("metrics.js"), live_page_file("head.js"),   live_page_file("poll.js")};
  return filled_page(live_page_file("live.html"),
                     {{"style", fmt::format("{}{}", page_asset("colours.css"), live_page_file("live.css"))},
                      {"script", script_text(scripts)}});
}

}  // namespace dflash
