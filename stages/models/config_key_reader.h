// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/json.h"
#include "framework/core/json_syntax.h"
#include "framework/core/nearest_name.h"
#include "stages/models/config_faults.h"

namespace dflash {

/// Reads the keys of one object of a configuration, of a closed set, and gathers what is wrong with them. Absent and
/// null mean the same.
class ConfigKeyReader {
 public:
  /// The object and the faults are borrowed. `path` stands before each key in faults: "dflash_config.".
  ConfigKeyReader(const Json& object, std::string path, const std::vector<std::string>& known, ConfigFaults& faults)
      : object_{object}, path_{std::move(path)}, faults_{faults} {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, key) == known.end()) {
        faults_.add({path_ + key}, "unknown key{}", suggestion(key, known));
      }
    }
  }

  [[nodiscard]] bool has(const char* key) const { return object_.contains(key) && !object_.at(key).is_null(); }

  /// Where the key is there: its value, or a fault where that is of another kind.
  void read(const char* key, std::int64_t& value) {
    if (has(key)) {
      take(key, object_.at(key).is_number_integer(), "an integer", value);
    }
  }
  void read(const char* key, double& value) {
    if (has(key)) {
      take(key, object_.at(key).is_number(), "a number", value);
    }
  }
  void read(const char* key, bool& value) {
    if (has(key)) {
      take(key, object_.at(key).is_boolean(), "true or false", value);
    }
  }
  void read(const char* key, std::vector<std::int64_t>& value) {
    if (has(key)) {
      const Json& list = object_.at(key);
      const bool good = list.is_array() && std::ranges::all_of(list, &Json::is_number_integer);
      take(key, good, "a list of integers", value);
    }
  }
  /// The same for a key that must be there.
  void need(const char* key, std::int64_t& value) {
    if (has(key)) {
      read(key, value);
    } else {
      fault({key}, "is missing");
    }
  }
  /// Refuses any value but `only`, which is what this program computes.
  void fixed(const char* key, const Json& only) {
    if (has(key) && object_.at(key) != only) {
      fault({key}, "found {}, allowed: {}; nothing else is supported", shown_value(object_.at(key)), only.dump());
    }
  }
  template <typename... Args>
  void fault(std::vector<std::string> keys, fmt::format_string<Args...> format, Args&&... args) {
    for (std::string& key : keys) {
      key.insert(0, path_);
    }
    faults_.add(std::move(keys), format, std::forward<Args>(args)...);
  }

 private:
  template <typename Value>
  void take(const char* key, bool good, const char* allowed, Value& value) {
    if (good) {
      value = object_.at(key).get<Value>();
    } else {
      fault({key}, "found {}, allowed: {}", shown_value(object_.at(key)), allowed);
    }
  }
  const Json& object_;
  std::string path_;
  ConfigFaults& faults_;
};

}  // namespace dflash
