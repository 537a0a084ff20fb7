// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "framework/telemetry/run_record.h"

namespace dflash {

/// The part of report.txt about accelerators: each device, then what each stage had on it. Empty where none was used.
std::string devices_part(const RunRecord& record);

}  // namespace dflash
