// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace dflash {

/// Returns the JSON in the text of a file; throws UserError "PLACE:3:5: not JSON: ..." where it is none.
nlohmann::json parse_json_file(std::string_view text, const std::string& place);

/// Returns the JSON in a file, plain or packed by xz.
nlohmann::json load_json(const std::filesystem::path& path);

}  // namespace dflash
