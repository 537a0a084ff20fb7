// SPDX-License-Identifier: Apache-2.0
#include "tests/stages/whole_run.h"

#include <fstream>

namespace dflash {

int WholeRunTest::run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "dflash-graph");
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  return run_command_line(application_, static_cast<int>(argv.size()), argv.data());
}

int WholeRunTest::train(const std::string& name, std::int64_t steps, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"run", "graphs/train.json", "--quiet", "--run-dir", path(name).string()};
  for (const std::string& set :
       {"run.steps=" + std::to_string(steps), std::string{"run.device=cpu"}, std::string{"run.evaluate.prompts=2"},
        std::string{"run.evaluate.new_tokens=8"}, std::string{"run.checkpoint.every=0"},
        std::string{"batch.pack_length=384"}, std::string{"pack.num_anchors=16"}}) {
    arguments.insert(arguments.end(), {"--set", set});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

std::vector<Json> WholeRunTest::metrics(const std::string& name) const {
  std::ifstream file{path(name) / "metrics.jsonl"};
  std::vector<Json> found;
  for (std::string line; std::getline(file, line);) {
    found.push_back(Json::parse(line));
  }
  return found;
}

std::vector<Json> WholeRunTest::timeless_metrics(const std::string& name) const {
  std::vector<Json> found = metrics(name);
  for (Json& line : found) {
    for (const char* key : {"tokens_per_s", "phase_s", "seconds"}) {
      line.erase(key);
    }
  }
  return found;
}

std::vector<double> WholeRunTest::losses(const std::string& name) const {
  std::vector<double> found;
  for (const Json& line : metrics(name)) {
    if (line.contains("loss") && !line.contains("event")) {
      found.push_back(line.at("loss"));
    }
  }
  return found;
}

Json WholeRunTest::report(const std::string& name) const {
  return Json::parse(std::ifstream{path(name) / "report.json"});
}

}  // namespace dflash
