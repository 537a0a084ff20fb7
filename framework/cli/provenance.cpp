// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/provenance.h"

#include <fstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

namespace dflash {
namespace {

std::string cpu_model() {
  std::ifstream lines{"/proc/cpuinfo"};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace

Json hardware_json() { return {{"cpu", cpu_model()}, {"cores", std::thread::hardware_concurrency()}}; }

}  // namespace dflash
