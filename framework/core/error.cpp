// SPDX-License-Identifier: Apache-2.0
#include "framework/core/error.h"

namespace dflash {
namespace {

std::string stage_message(const std::string& stage, const std::string& doing, std::int64_t firing,
                          const std::string& cause) {
  if (firing > 0) {
    return fmt::format("stage '{}', firing {}: {}", stage, firing, cause);
  }
  return fmt::format("stage '{}' ({}): {}", stage, doing, cause);
}

}  // namespace

StageError::StageError(std::string stage_name, std::string doing_what, std::int64_t firing_number,
                       const std::string& cause, bool user)
    : std::runtime_error(stage_message(stage_name, doing_what, firing_number, cause)),
      stage(std::move(stage_name)),
      doing(std::move(doing_what)),
      firing(firing_number),
      caused_by_user(user) {}

void throw_internal_error(const char* condition, const std::string& message, std::source_location where) {
  throw InternalError(fmt::format("{}:{}: internal error: '{}' does not hold{}{}", where.file_name(), where.line(),
                                  condition, message.empty() ? "" : ": ", message));
}

}  // namespace dflash
