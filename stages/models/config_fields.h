// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

/// Reads fields of a model's JSON object and gathers the faults, so that a user sees all of them at once. Absent and
/// `null` mean the same.
class ConfigFields {
 public:
  /// `json` is borrowed. `place` begins the message.
  ConfigFields(const Json& json, std::string place);

  /// Null where the field is absent.
  [[nodiscard]] const Json* find(const std::string& key) const;
  /// A whole number from `least`; a fault and `least` otherwise.
  std::int64_t integer(const std::string& key, std::int64_t least);
  std::optional<std::int64_t> optional_integer(const std::string& key, std::int64_t least);
  /// A number above 0; a fault and 1 otherwise.
  double positive_number(const std::string& key);
  std::optional<double> optional_positive_number(const std::string& key);
  bool boolean(const std::string& key, bool fallback);
  std::optional<std::string> text(const std::string& key);
  void add_fault(std::string fault) { faults_.push_back(std::move(fault)); }
  /// Takes over the faults of an object inside this one, each with its place.
  void add_faults_of(const ConfigFields& inner);
  /// Throws UserError with all faults, if there are any.
  void finish() const;

 private:
  void expect(const std::string& key, const Json& found, const std::string& expected);

  const Json& json_;
  std::string place_;
  std::vector<std::string> faults_;
};

}  // namespace dflash
