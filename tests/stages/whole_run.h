// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "stages/application.h"
#include "tests/support/temporary_folder.h"

namespace dflash {

/// Runs the program's commands in this process, in a folder of its own.
class WholeRunTest : public testing::Test {
 protected:
  /// Returns the exit code.
  int run(std::vector<std::string> arguments);
  /// A run of the default graph without its long parts.
  int train(const std::string& name, std::int64_t steps, const std::vector<std::string>& more = {});
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  /// The lines of a run's metrics.jsonl, evaluations too.
  [[nodiscard]] std::vector<Json> metrics(const std::string& name) const;
  /// The same without what a clock has measured.
  [[nodiscard]] std::vector<Json> timeless_metrics(const std::string& name) const;
  [[nodiscard]] std::vector<double> losses(const std::string& name) const;
  [[nodiscard]] Json report(const std::string& name) const;

 private:
  TemporaryFolder folder_;
  Application application_ = dflash_application();
};

}  // namespace dflash
