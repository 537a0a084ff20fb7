// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dflash {

/// What is wrong with a model's configuration, key by key, so that a reader that puts it together of several sources
/// can tell which of them is to blame.
class ConfigFaults {
 public:
  struct Fault {
    std::vector<std::string> keys;  // "dflash_config.block_size"; all that take part, the first is named
    std::string message;            // "found 3, allowed: ..."
  };

  template <typename... Args>
  void add(std::vector<std::string> keys, fmt::format_string<Args...> format, Args&&... args) {
    faults_.push_back({std::move(keys), fmt::format(format, std::forward<Args>(args)...)});
  }
  template <typename... Args>
  void require(bool holds, std::vector<std::string> keys, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds) {
      add(std::move(keys), format, std::forward<Args>(args)...);
    }
  }
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }

 private:
  std::vector<Fault> faults_;
};

}  // namespace dflash
