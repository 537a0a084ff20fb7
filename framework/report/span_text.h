// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// The part of report.txt on the named parts of firings, on the host and on the device; empty where there are none.
std::string spans_part(const RunRecord& record);

}  // namespace dflash
