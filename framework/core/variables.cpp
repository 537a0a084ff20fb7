// SPDX-License-Identifier: Apache-2.0
#include "framework/core/variables.h"

#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "framework/core/json_spot.h"

namespace dflash {
namespace {

constexpr std::size_t kLongestText = 1U << 20U;

class Substitution {
 public:
  Substitution(const JsonText& document, Diagnostics& diagnostics) : document_{document}, diagnostics_{diagnostics} {
    std::size_t index = 0;
    for (const auto& [key, value] : document.value.get_ref<const Json::object_t&>()) {
      if (key == "vars" && value.is_object()) {
        variables_ = value;
        variable_places_ = document.places.children.at(index).children;
      }
      ++index;
    }
  }

  void substitute(Json& value, JsonPlaces& places, const std::string& pointer) {
    if (value.is_string()) {
      substitute_text(value, places, pointer);
    } else if (value.is_object()) {
      std::size_t next = 0;
      for (auto& [key, child] : value.get_ref<Json::object_t&>()) {
        substitute(child, places.children.at(next++), pointer_to(pointer, key));
      }
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        substitute(value[i], places.children.at(i), pointer_to(pointer, std::to_string(i)));
      }
    }
  }

  [[nodiscard]] std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables_.items()) {
      if (!used_.contains(name)) {
        names.push_back(name);
      }
    }
    return names;
  }

 private:
  void substitute_text(Json& value, JsonPlaces& places, const std::string& pointer) {
    const std::string text = value.get<std::string>();
    std::string replaced;
    std::size_t done = 0;
    for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", done)) {
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) {
        add(places, pointer, fmt::format("found {}, allowed: '${{name}}', closed by a brace", value.dump()));
        return;
      }
      const Json* variable = find(text.substr(at + 2, end - at - 2), places, pointer);
      if (variable == nullptr) {
        return;
      }
      if (at == 0 && end + 1 == text.size()) {
        // The value was written where the variable was, perhaps by --set vars.NAME=VALUE.
        const JsonPlaces& written = places_of(variable);
        places.value = written.value;
        places.children = written.children;
        value = *variable;
        return;
      }
      if (variable->is_structured() || variable->is_null()) {
        add(places, pointer,
            fmt::format("variable {} is {} and cannot stand inside a longer text", text.substr(at, end + 1 - at),
                        variable->dump()));
        return;
      }
      replaced += text.substr(done, at - done);
      replaced += variable->is_string() ? variable->get<std::string>() : variable->dump();
      done = end + 1;
      if (replaced.size() > kLongestText) {
        add(places, pointer, fmt::format("grows beyond {} bytes by its variables", kLongestText));
        return;
      }
    }
    if (done > 0) {
      value = replaced + text.substr(done);
    }
  }

  const Json* find(const std::string& name, const JsonPlaces& places, const std::string& pointer) {
    used_.insert(name);
    const auto found = variables_.find(name);
    if (found != variables_.end()) {
      return &*found;
    }
    std::vector<std::string> known;
    for (const auto& [key, value] : variables_.items()) {
      known.push_back(key);
    }
    diagnostics_.add_unknown(document_.place_text(places.value), pointer, "variable", name, known);
    return nullptr;
  }

  [[nodiscard]] const JsonPlaces& places_of(const Json* variable) const {
    std::size_t index = 0;
    for (const auto& [name, value] : variables_.get_ref<const Json::object_t&>()) {
      if (&value == variable) {
        break;
      }
      ++index;
    }
    return variable_places_.at(index);
  }

  void add(const JsonPlaces& places, const std::string& pointer, const std::string& message) {
    diagnostics_.add(document_.place_text(places.value), pointer, message);
  }

  const JsonText& document_;
  Diagnostics& diagnostics_;
  Json variables_ = Json::object();
  std::vector<JsonPlaces> variable_places_;
  std::set<std::string> used_;
};

void check_variables(const JsonSpot& vars, Diagnostics& diagnostics) {
  if (!check_object(vars, "an object of variables", diagnostics)) {
    return;
  }
  for (const auto& [name, spot] : vars.members()) {
    if (has_variable(spot.value())) {
      diagnostics.add(spot.place(), spot.pointer(), "a variable cannot refer to another");
    }
  }
}

}  // namespace

bool has_variable(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find("${") != std::string::npos;
}

std::vector<std::string> substitute_variables(JsonText& document, Diagnostics& diagnostics) {
  if (const auto vars = JsonSpot{document}.find("vars")) {
    check_variables(*vars, diagnostics);
  }
  Substitution substitution{document, diagnostics};
  std::size_t next = 0;
  for (auto& [key, value] : document.value.get_ref<Json::object_t&>()) {
    JsonPlaces& places = document.places.children.at(next++);
    if (key == "models" || key == "stages" || key == "edges" || key == "run") {
      substitution.substitute(value, places, pointer_to("", key));
    }
  }
  return substitution.unused();
}

}  // namespace dflash
