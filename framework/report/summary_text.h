// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "framework/core/json.h"

namespace dflash {

/// An object of the report ("evaluation", provenance) as lines for people, each indented and at most `columns` wide
/// where its words allow: a value stands beside its key, a list of objects is a table below it, of a long one the first
/// rows; what is nested deeper is indented below its key. Empty where the object is.
std::string summary_text(const Json& values, std::size_t indent, std::size_t columns);

}  // namespace dflash
