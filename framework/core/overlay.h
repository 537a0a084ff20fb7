// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "framework/core/json_text.h"

namespace dflash {

/// Merges an overlay into a document by RFC 7396: objects merge key by key, null removes a key, everything else
/// replaces. Each value keeps the place where it was written.
void merge_overlay(JsonText& document, const JsonText& overlay);

/// The overlay that makes `to` of `from`. A null in `to` stands for a key that is not there.
Json overlay_between(const Json& from, const Json& to);

/// Sets the value at a path of keys, making objects on the way. Unlike an overlay, null is set and does not remove.
/// Returns the part of the path that is no object, where one is in the way; then nothing is changed.
std::vector<std::string> put_value(JsonText& document, const std::vector<std::string>& path, Json value,
                                   const std::string& source);

}  // namespace dflash
