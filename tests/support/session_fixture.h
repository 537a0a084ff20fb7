// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "framework/cli/application.h"
#include "framework/cli/run_plan.h"
#include "framework/core/json.h"
#include "tests/support/adding_run.h"
#include "tests/support/temporary_folder.h"

namespace dflash {

/// Runs sessions in a folder of its own and looks at what they leave there.
class SessionTest : public ::testing::Test {
 protected:
  SessionTest();
  /// Runs and keeps what was printed.
  int run(AddingRun& adding);
  /// "step 1", "evaluation 0 start", ... in the order of metrics.jsonl.
  [[nodiscard]] std::vector<std::string> metrics() const;
  [[nodiscard]] std::vector<std::int64_t> checkpoints() const;
  [[nodiscard]] Json report() const;

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "run";
  Application application_;
  RunRequest request_;
  std::string out_;
  std::string err_;

 private:
  void keep_printed();
};

}  // namespace dflash
