// SPDX-License-Identifier: Apache-2.0
#include "framework/runtime/cut_file.h"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr const char* kSchema = "dflash-cut/1";

}  // namespace

void write_cut(const std::filesystem::path& folder, const Cut& cut) {
  Json stages = Json::object();
  for (const auto& [name, position] : cut) {
    stages[name] = to_json(position);
  }
  const std::filesystem::path path = folder / "cut.json";
  std::ofstream file{path};
  file << Json{{"schema", kSchema}, {"stages", stages}}.dump(1) << '\n';
  file.close();
  DFLASH_USER_CHECK(file.good(), "cannot write '{}'", path.string());
}

Cut read_cut(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "cut.json";
  std::ifstream file{path};
  DFLASH_USER_CHECK(file.good(), "cannot read '{}'", path.string());
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return read_written(parse_or_discard(text), path.string(), [&](const Json& json) {
    DFLASH_USER_CHECK(json.at("schema") == kSchema, "'{}' is not a cut of schema '{}'", path.string(), kSchema);
    Cut cut;
    for (const auto& [name, position] : json.at("stages").get_ref<const Json::object_t&>()) {
      cut[name] = position_from_json(position);
    }
    return cut;
  });
}

}  // namespace dflash
