// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session_fixture.h"

#include <sstream>

#include "framework/checkpoint/checkpoint_store.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/cli/run_session.h"

namespace dflash {

SessionTest::SessionTest() {
  application_.name = "adding-app";
  application_.version = "1.2.3";
  request_.run_dir = path_;
  request_.command_line = "adding-app run adding.json";
}

int SessionTest::run(AddingRun& adding) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  int code = -1;
  try {
    code = run_session(application_, adding.plan, request_);
  } catch (...) {
    keep_printed();
    throw;
  }
  keep_printed();
  return code;
}

void SessionTest::keep_printed() {
  out_ = ::testing::internal::GetCapturedStdout();
  err_ = ::testing::internal::GetCapturedStderr();
}

std::vector<std::string> SessionTest::metrics() const {
  std::vector<std::string> found;
  std::istringstream lines{read_text(path_ / "metrics.jsonl")};
  for (std::string line; std::getline(lines, line);) {
    const Json object = Json::parse(line);
    const std::string step = object.at("step").dump();
    found.push_back(object.contains("event") ? "evaluation " + step + " " + object.at("when").get<std::string>()
                                             : step);
  }
  return found;
}

std::vector<std::int64_t> SessionTest::checkpoints() const {
  std::vector<std::int64_t> steps;
  for (const Checkpoint& checkpoint : CheckpointStore{path_ / "checkpoints"}.list()) {
    steps.push_back(checkpoint.step);
  }
  return steps;
}

Json SessionTest::report() const { return Json::parse(read_text(path_ / "report.json")); }

}  // namespace dflash
