// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/metrics_file.h"

#include <cerrno>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "framework/checkpoint/durable_file.h"
#include "framework/core/error.h"

namespace dflash {
namespace {

bool is_at_most(const Json& object, std::int64_t step) {
  const Json found = object.is_object() ? object.value("step", Json{}) : Json{};
  return found.is_number_unsigned() && step >= 0 && found.get<std::uint64_t>() <= static_cast<std::uint64_t>(step);
}

}  // namespace

void append_json_line(const std::filesystem::path& file, const Json& object) {
  const std::string line = object.dump() + "\n";
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool written =
      descriptor >= 0 && ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  DFLASH_USER_CHECK(written, "cannot append to '{}': {}", file.string(), std::generic_category().message(error));
}

void cut_back_metrics(const std::filesystem::path& file, std::int64_t step, bool end_comes_again) {
  if (!std::filesystem::exists(file)) {
    return;
  }
  std::istringstream lines{read_text(file)};
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const Json object = Json::parse(line, nullptr, false);
    if (is_at_most(object, step) && !(end_comes_again && object.value("when", Json{}) == "end")) {
      kept += line + "\n";
    }
  }
  replace_durably(file, kept);
}

}  // namespace dflash
