// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/json.h"
#include "framework/telemetry/timeline.h"

namespace dflash {

/// report.html: one file that needs no network, made from what a run directory holds. A run without a timeline has a
/// page with what there is. Throws UserError where `report` is no report.
std::string report_page(const Json& report, const Timeline& timeline, const std::vector<Json>& metrics);

/// As text of an HTML element or attribute.
std::string html_text(std::string_view text);

}  // namespace dflash
