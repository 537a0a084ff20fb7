// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace dflash {

/// The user's graph, parameter, data or environment is at fault. The message says where, what was found and what is
/// allowed. Always exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// We are at fault: a condition that the program promises itself does not hold.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A device or fabric call failed.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user has asked the run to stop while something long was under way, which has given up. Nobody's fault.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A stage failed while it was `doing` ("fire", "open", "drain", ...). `what()` names the stage, the item by the
/// stage's 1-based firing, and the cause. `caused_by_user` keeps the family of the cause.
class StageError : public std::runtime_error {
 public:
  StageError(std::string stage, std::string doing, std::int64_t firing, const std::string& cause, bool caused_by_user);
  std::string stage;
  std::string doing;
  std::int64_t firing;  // 0: outside a firing
  bool caused_by_user;
};

[[noreturn]] void throw_internal_error(const char* condition, const std::string& message,
                                       std::source_location where = std::source_location::current());

}  // namespace dflash

/// Throws UserError with the formatted message unless `condition` holds.
#define DFLASH_USER_CHECK(condition, ...)                                  \
  do {                                                                     \
    if (!(condition)) throw ::dflash::UserError(fmt::format(__VA_ARGS__)); \
  } while (false)

/// Throws InternalError with place, condition and the formatted message unless `condition` holds. Always on.
#define DFLASH_CHECK(condition, ...)                                                           \
  do {                                                                                         \
    if (!(condition)) ::dflash::throw_internal_error(#condition, fmt::format("" __VA_ARGS__)); \
  } while (false)
