// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "framework/core/catalog.h"
#include "framework/core/error.h"
#include "framework/core/version.h"

// The build says these where a plugin computes with tensors (dflash_add_plugin with TORCH); one without needs neither.
#ifndef DFLASH_LIBTORCH_VERSION
#define DFLASH_LIBTORCH_VERSION ""
#endif
#ifndef DFLASH_CUDA_VERSION
#define DFLASH_CUDA_VERSION ""
#endif

namespace dflash {

/// Raised by one with every change of what a plugin shares with the program: members, virtuals or their order in the
/// headers of framework/core. tests/framework/core/plugin_test.cpp fails where that was forgotten.
inline constexpr std::int32_t kPluginAbi = 1;

/// What a plugin says of itself before anything else of it is used: plain data, so that it can be read whatever
/// compiler has made it. `abi` stays the first member in every version; what follows is read only where it is ours.
struct PluginInfo {
  std::int32_t abi;
  std::int32_t cxx11_abi;  // _GLIBCXX_USE_CXX11_ABI
  const char* framework;   // kVersion of the headers that it was compiled with
  const char* compiler;    // __VERSION__
  const char* libtorch;    // empty: it computes with no tensors
  const char* cuda;        // empty: it was compiled without CUDA
  const char* version;     // its own; may be empty
  /// Adds its stage types. Returns false, and why, where that failed.
  bool (*add_stages)(Catalog& catalog, std::string& error) noexcept;
};

/// Adds a type that the plugin does not bring already.
template <class AStage>
void add_plugin_stage(Catalog& catalog) {
  const std::string type = AStage::info().type;
  DFLASH_USER_CHECK(catalog.find(type) == nullptr, "two of them are called '{}'", type);
  catalog.add<AStage>();
}

/// Adds the types to the catalog; what is thrown is told instead.
template <class... Stages>
bool add_plugin_stages(Catalog& catalog, std::string& error) noexcept {
  try {
    (add_plugin_stage<Stages>(catalog), ...);
    return true;
  } catch (const std::exception& thrown) {
    error = thrown.what();
  } catch (...) {
    error = "something that is no std::exception was thrown";
  }
  return false;
}

/// The description of a plugin that brings these stage types. All of a plugin's entry point is:
///
///   extern "C" const dflash::PluginInfo* dflash_graph_plugin() { return dflash::plugin_of<MyStage>("1.0"); }
template <class... Stages>
const PluginInfo* plugin_of(const char* version = "") {
  static const PluginInfo info{.abi = kPluginAbi,
                               .cxx11_abi = _GLIBCXX_USE_CXX11_ABI,
                               .framework = kVersion,
                               .compiler = __VERSION__,
                               .libtorch = DFLASH_LIBTORCH_VERSION,
                               .cuda = DFLASH_CUDA_VERSION,
                               .version = version,
                               .add_stages = &add_plugin_stages<Stages...>};
  return &info;
}

}  // namespace dflash

/// The one symbol that a program looks for in a plugin. Declared here, so that a wrong signature does not compile.
extern "C" __attribute__((visibility("default"))) const dflash::PluginInfo* dflash_graph_plugin();
