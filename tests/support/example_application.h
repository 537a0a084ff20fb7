// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/cli/application.h"
#include "framework/core/error.h"
#include "tests/support/example_stages.h"

namespace dflash {

/// Hooks that evaluate nothing; a target whose path is "missing" is refused, as a folder that is not there would be.
struct ExampleHooks : RunHooks {
  ExampleModel target;
  ExampleModel drafter;
  ExampleEvaluation evaluation;
  std::vector<std::pair<std::string, ParamSet*>> model_sections() override {
    return {{"target", &target}, {"drafter", &drafter}};
  }
  ParamSet& evaluate_params() override { return evaluation; }
  void resolve(const RunEnv& env, const std::vector<std::string>&, Resources&, GraphMistakes& mistakes) override {
    if (target.path() == "missing") {
      mistakes.add("/models/target", target.path, fmt::format("no such folder 'missing' (device {})", env.device));
    }
  }
  bool evaluates_at(std::int64_t, const std::string&) const override { return false; }
  Json evaluate(std::int64_t, const std::string&) override { return Json::object(); }
  double score(const Json&) const override { return 0.0; }
  std::string final_summary(const Json&) override { return ""; }
  void finish(const std::filesystem::path&) override {}
};

inline Application example_application() {
  Application application;
  application.name = "example-app";
  application.version = "1.2.3";
  application.catalog = example_catalog();
  application.new_run = [] { return std::make_unique<ExampleHooks>(); };
  application.resolve_device = [](const std::string& device) -> std::string {
    DFLASH_USER_CHECK(device == "auto" || device == "cpu", "device '{}' cannot be had here; allowed: cpu", device);
    return "cpu";
  };
  application.worker_started = [] {};
  application.versions = [] { return Json::object(); };
  return application;
}

}  // namespace dflash
