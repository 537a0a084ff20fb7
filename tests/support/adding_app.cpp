// SPDX-License-Identifier: Apache-2.0
// A small program with the framework's command line, for commands that start processes of their own.
#include <memory>

#include <nlohmann/json.hpp>

#include "framework/cli/application.h"
#include "tests/support/adding_run.h"

int main(int argc, char** argv) {
  dflash::Application application;
  application.name = "adding-app";
  application.version = "1.2.3";
  application.catalog.add<dflash::Numbers>();
  application.catalog.add<dflash::Adder>();
  application.new_run = [] { return std::make_unique<dflash::NotingHooks>(); };
  application.versions = [] { return dflash::Json::object(); };
  return dflash::run_command_line(application, argc, argv);
}
