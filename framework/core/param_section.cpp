// SPDX-License-Identifier: Apache-2.0
#include "framework/core/param_section.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/core/variables.h"

namespace dflash {
namespace {

class SectionReader {
 public:
  SectionReader(const ParamSet& params, std::string_view owner, Diagnostics& diagnostics)
      : params_{params}, owner_{owner}, diagnostics_{diagnostics} {}

  void read(const JsonSpot& object, const std::string& prefix, const std::vector<std::string>& elsewhere) {
    for (const auto& [key, spot] : object.members()) {
      const bool is_elsewhere = std::ranges::find(elsewhere, key) != elsewhere.end();
      if (!is_elsewhere && !diagnostics_.full()) {
        read_member(object, key, spot, prefix);
      }
    }
  }

 private:
  void read_member(const JsonSpot& object, const std::string& key, const JsonSpot& spot, const std::string& prefix) {
    const std::string name = prefix + key;
    ParamBase* param = key.find('.') == std::string::npos ? params_.find_param(name) : nullptr;
    if (param != nullptr && has_variable(spot.value())) {
      return;  // the unknown variable is a mistake already
    }
    if (param != nullptr) {
      if (const std::optional<std::string> wrong = param->assign(spot.value())) {
        diagnostics_.add(spot.place(), spot.pointer(), *wrong);
      }
      return;
    }
    const std::vector<std::string> inner = keys_below(params_, name + ".");
    if (inner.empty()) {
      add_unknown(object, key, spot, prefix);
    } else if (check_object(spot, fmt::format("an object with the keys {}", fmt::join(inner, ", ")), diagnostics_)) {
      read(spot, name + ".", {});
    }
  }

  void add_unknown(const JsonSpot& object, const std::string& key, const JsonSpot& spot, const std::string& prefix) {
    for (const ParamBase* param : params_.params()) {
      const std::string& full = param->name();
      if (full == key || full.ends_with("." + key)) {
        diagnostics_.add(spot.key_place(), object.pointer(),
                         fmt::format("unknown parameter '{}' of {}; did you mean '{}', nested?", key, owner_, full));
        return;
      }
    }
    diagnostics_.add_unknown(spot.key_place(), object.pointer(), fmt::format("parameter of {}:", owner_), key,
                             keys_below(params_, prefix));
  }

  const ParamSet& params_;
  std::string owner_;
  Diagnostics& diagnostics_;
};

std::vector<std::string> path_of(const std::string& dotted) {
  std::vector<std::string> path;
  std::size_t begin = 0;
  for (std::size_t dot = dotted.find('.'); dot != std::string::npos; dot = dotted.find('.', begin)) {
    path.push_back(dotted.substr(begin, dot - begin));
    begin = dot + 1;
  }
  path.push_back(dotted.substr(begin));
  return path;
}

}  // namespace

std::vector<std::string> keys_below(const ParamSet& params, std::string_view prefix) {
  std::vector<std::string> keys;
  for (const ParamBase* param : params.params()) {
    if (param->name().starts_with(prefix)) {
      const std::string rest = param->name().substr(prefix.size());
      const std::string key = rest.substr(0, rest.find('.'));
      if (std::ranges::find(keys, key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  return keys;
}

void read_params(const JsonSpot& object, const ParamSet& params, std::string_view owner, Diagnostics& diagnostics,
                 const std::vector<std::string>& elsewhere) {
  if (check_object(object, "an object of parameters", diagnostics)) {
    SectionReader{params, owner, diagnostics}.read(object, "", elsewhere);
    check_required(params, object, object, diagnostics);
  }
}

void check_required(const ParamSet& params, const std::optional<JsonSpot>& given, const JsonSpot& around,
                    Diagnostics& diagnostics) {
  for (const ParamBase* param : params.params()) {
    std::optional<JsonSpot> spot = given;
    for (const std::string& key : path_of(param->name())) {
      spot = spot ? spot->find(key) : std::nullopt;
    }
    if (param->is_required() && !spot) {
      diagnostics.add(around.place(), around.pointer(),
                      fmt::format("the parameter '{}' is missing: {}", param->name(), param->help()));
    }
  }
}

Json write_params(const ParamSet& params, const std::optional<JsonSpot>& given, const std::string& pointer,
                  ResolvedGraph& resolved) {
  Json values = Json::object();
  for (const ParamBase* param : params.params()) {
    Json* at = &values;
    std::optional<JsonSpot> spot = given;
    std::string at_pointer = pointer;
    for (const std::string& key : path_of(param->name())) {
      at = &(*at)[key];
      spot = spot ? spot->find(key) : std::nullopt;
      at_pointer = pointer_to(at_pointer, key);
    }
    *at = param->value_json();
    resolved.note_origin(at_pointer, spot ? spot->place() : "default");
  }
  return values;
}

}  // namespace dflash
