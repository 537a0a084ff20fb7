// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/plugin_library.h"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/checkpoint/durable_file.h"
#include "framework/cli/elf_file.h"
#include "framework/cli/printing.h"
#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/core/named_path.h"
#include "framework/core/plugin.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEntryPoint = "dflash_graph_plugin";
constexpr const char* kNoStdException = "something that is no std::exception was thrown";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UserError(fmt::format("plugin '{}': {}", file, why));
}

/// Whatever a plugin throws becomes one line with its file.
template <class Call>
auto guarded(const std::string& file, std::string_view doing, const Call& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    refuse(file, fmt::format("{}: {}", doing, error.what()));
  } catch (...) {
    refuse(file, fmt::format("{}: {}", doing, kNoStdException));
  }
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text{abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    &std::free};
  return status == 0 ? text.get() : symbol;
}

/// The loader's own words ("/a/b.so: undefined symbol: _ZN6dflash3foo"), as a reason that a user can act on.
std::string loader_reason(const Application& application, const fs::path& path) {
  const char* said = dlerror();  // NOLINT(concurrency-mt-unsafe): no thread has started
  std::string text = said != nullptr ? said : "the loader does not say why it could not be loaded";
  const std::string prefix = path.string() + ": ";
  if (text.starts_with(prefix)) {
    text = text.substr(prefix.size());
  }
  constexpr std::string_view kUndefined = "undefined symbol: ";
  if (text.starts_with(kUndefined)) {
    return fmt::format(
        "{} has no '{}': the plugin was built for another version of it (build it again), or lacks a "
        "source or a library of its own",
        application.name, demangled(text.substr(kUndefined.size())));
  }
  return fmt::format("not a shared library that can be loaded: {}", text);
}

std::string& file_being_opened() {
  static std::string file;
  return file;
}

[[noreturn]] void end_opening() {
  std::string why = "it called std::terminate";
  try {
    if (std::exception_ptr thrown = std::current_exception()) {
      std::rethrow_exception(thrown);
    }
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = kNoStdException;
  }
  print_error("error: plugin '{}': its initialisation failed: {}\n", file_being_opened(), why);
  std::_Exit(ExitCode::kUserError);
}

/// What a static initialiser throws cannot leave the loader. So the process ends there, but as for any mistake of the
/// user's.
class OpeningGuard {
 public:
  explicit OpeningGuard(const std::string& file) : before_{std::set_terminate(end_opening)} {
    file_being_opened() = file;
  }
  OpeningGuard(const OpeningGuard&) = delete;
  OpeningGuard& operator=(const OpeningGuard&) = delete;
  ~OpeningGuard() { std::set_terminate(before_); }

 private:
  std::terminate_handler before_;
};

/// Never closed: see load_plugins.
void* opened(const std::string& file, const Application& application) {
  if (const std::optional<std::string> problem = path_problem(file, PathKind::kFile, "plugin")) {
    throw UserError(*problem);
  }
  const fs::path path = fs::absolute(file);  // a name without a folder would be looked for among the system's libraries
  if (const std::string missing = missing_part(path); !missing.empty()) {
    refuse(file, "damaged: " + missing);
  }
  const OpeningGuard guard{file};
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    refuse(file, loader_reason(application, path));
  }
  return handle;
}

const PluginInfo& described(void* handle, const std::string& file) {
  using EntryPoint = const PluginInfo* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, kEntryPoint));
  if (entry == nullptr) {
    refuse(file, fmt::format("a shared library, but no plugin: it has no function '{}'", kEntryPoint));
  }
  const PluginInfo* info = guarded(file, fmt::format("'{}' failed", kEntryPoint), entry);
  if (info == nullptr) {
    refuse(file, fmt::format("'{}' returned nothing", kEntryPoint));
  }
  return *info;
}

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

std::string shown(const std::string& version) { return version.empty() ? "none" : version; }

/// Refuses a plugin that was compiled against anything else than this program.
void require_same_build(const PluginInfo& info, const std::string& file, const Application& application) {
  const auto require = [&](const std::string& what, const std::string& found, const std::string& wanted) {
    if (found != wanted) {
      refuse(file, fmt::format("built for another {}: found {}, wanted {}; build it again with dflash_add_plugin of "
                               "this {}",
                               what, shown(found), shown(wanted), application.name));
    }
  };
  require("plugin ABI", std::to_string(info.abi), std::to_string(kPluginAbi));
  require("version of the framework", text_or_empty(info.framework), kVersion);
  require("compiler", text_or_empty(info.compiler), __VERSION__);
  require("C++ ABI (_GLIBCXX_USE_CXX11_ABI)", std::to_string(info.cxx11_abi), std::to_string(_GLIBCXX_USE_CXX11_ABI));
  const Json versions = application.versions ? application.versions() : Json::object();
  for (const auto& [library, said] : {std::pair{"LibTorch", info.libtorch}, std::pair{"CUDA", info.cuda}}) {
    const std::string found = text_or_empty(said);
    if (!found.empty()) {
      require(fmt::format("version of {}", library), found, versions.value(library, std::string{}));
    }
  }
}

void add_type(Catalog::Entry entry, const std::string& file, Catalog& catalog) {
  const std::string& type = entry.info.type;
  if (type.empty()) {
    refuse(file, "one of its stage types has no name");
  }
  if (const Catalog::Entry* known = catalog.find(type)) {
    refuse(file, fmt::format("stage type '{}' is taken by {}", type,
                             known->plugin.empty() ? "the program" : fmt::format("plugin '{}'", known->plugin)));
  }
  const std::unique_ptr<Stage> stage =
      guarded(file, fmt::format("the constructor of stage type '{}' failed", type), entry.make);
  if (stage == nullptr) {
    refuse(file, fmt::format("stage type '{}' makes no stage", type));
  }
  entry.plugin = file;
  catalog.add_entry(std::move(entry));
}

LoadedPlugin load_plugin(const std::string& file, Application& application) {
  const PluginInfo& info = described(opened(file, application), file);
  require_same_build(info, file, application);
  Catalog own;
  std::string error;
  if (!info.add_stages(own, error)) {
    refuse(file, fmt::format("its stage types cannot be had: {}", error));
  }
  LoadedPlugin loaded{.file = file, .version = text_or_empty(info.version), .hash = hash_file(file)};
  for (const Catalog::Entry& entry : own.entries()) {
    add_type(entry, file, application.catalog);
    loaded.types.push_back(entry.info.type);
  }
  return loaded;
}

}  // namespace

void load_plugins(const std::vector<std::string>& files, Application& application) {
  for (const std::string& file : files) {
    application.plugins.push_back(load_plugin(file, application));
  }
}

}  // namespace dflash
