// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>

#include "framework/core/error.h"
#include "framework/core/graph_file.h"
#include "tests/support/example_stages.h"
#include "tests/support/temporary_folder.h"

namespace dflash {

/// The text with the first `from` replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::logic_error{"the example has no " + std::string{from}};
  }
  return text.replace(at, from.size(), to);
}

/// Reads variations of the example graph.
class GraphReadingTest : public testing::Test {
 protected:
  GraphFile read(std::string_view text, GraphRequest request = {}) {
    request.path = folder_.path() / "g.json";
    std::ofstream{request.path} << text;
    Diagnostics diagnostics;
    GraphFile file =
        read_graph(request, catalog_, {{{"target", &target_}, {"drafter", &drafter_}}, &evaluation_}, diagnostics);
    diagnostics.throw_if_any();
    return file;
  }
  /// The message of the error with the folder's name cut out; empty where there is none.
  std::string error(std::string_view text, GraphRequest request = {}) {
    try {
      (void)read(text, std::move(request));
    } catch (const UserError& wrong) {
      std::string message = wrong.what();
      const std::string folder = folder_.path().string() + "/";
      for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
        message.erase(at, folder.size());
      }
      return message;
    }
    return "";
  }
  std::string error_with(std::string_view from, std::string_view to) {
    return error(replaced(std::string{kExampleGraph}, from, to));
  }
  std::filesystem::path overlay(std::string_view text) {
    std::ofstream{folder_.path() / "o.json"} << text;
    return folder_.path() / "o.json";
  }
  template <class T>
  const T& stage(const GraphFile& file, const std::string& name) {
    return dynamic_cast<const T&>(*file.graph.find(name)->stage);
  }

  TemporaryFolder folder_;
  Catalog catalog_ = example_catalog();
  ExampleModel target_;
  ExampleModel drafter_;
  ExampleEvaluation evaluation_;
};

}  // namespace dflash
