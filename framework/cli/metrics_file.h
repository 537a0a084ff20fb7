// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "framework/core/json.h"

namespace dflash {

/// Appends one object as one line in one write, so that lines of several writers never mix. Throws UserError.
void append_json_line(const std::filesystem::path& file, const Json& object);

/// Keeps the lines whose "step" is at most `step`; a line cut short by a crash goes too, and with `end_comes_again` an
/// evaluation at the end. Does nothing where there is no file.
void cut_back_metrics(const std::filesystem::path& file, std::int64_t step, bool end_comes_again);

}  // namespace dflash
