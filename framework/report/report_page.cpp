// SPDX-License-Identifier: Apache-2.0
#include "framework/report/report_page.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_syntax.h"
#include "framework/report/page_assets.h"
#include "framework/report/page_data.h"
#include "framework/report/page_template.h"

namespace dflash {
namespace {

/// In the order in which they build on each other.
constexpr std::array kScripts{
    "numbers.js",     "elements.js",     "panel.js",         "hover.js",       "states.js",    "stage_states.js",
    "head.js",        "graph_layout.js", "culprit.js",       "graph_panel.js", "time_axis.js", "strips.js",
    "time_panel.js",  "stages_panel.js", "paths_panel.js",   "gains_panel.js", "charts.js",    "latency_panel.js",
    "steps_panel.js", "curves_panel.js", "devices_panel.js", "facts.js",       "tables.js",    "main.js"};

/// JSON in a script element: nothing in it may look like the element's end.
std::string script_json(const Json& json) {
  std::string text;
  for (const char letter : text_of(json)) {
    text += letter == '<' ? std::string{"\\u003c"} : std::string(1, letter);
  }
  return text;
}

std::string all_scripts() {
  std::array<std::string_view, kScripts.size()> scripts;
  std::ranges::transform(kScripts, scripts.begin(), [](const char* name) { return page_asset(name); });
  return script_text(scripts);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

std::string report_page(const Json& report, const Timeline& timeline, const std::vector<Json>& metrics) {
  const Json data = page_data(report, timeline, metrics);
  return read_written(report, "report.json", [&](const Json& object) {
    const std::string scripts =
        fmt::format("<script>{}</script>\n<script>\n{}</script>", page_asset("chart.min.js"), all_scripts());
    return filled_page(page_asset("page.html"),
                       {{"title", html_text(object.value("graph", "a run"))},
                        {"style", fmt::format("{}{}", page_asset("colours.css"), page_asset("page.css"))},
                        {"summary", html_text(object.at("verdict").at("text").get<std::string>())},
                        {"data", script_json(data)},
                        {"scripts", scripts}});
  });
}

}  // namespace dflash
