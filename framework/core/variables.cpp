// SPDX-License-Identifier: Apache-2.0
#include "framework/core/variables.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "framework/core/json_spot.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kLongestText = 1U << 20U;

/// How much of a document a value is.
struct Size {
  std::size_t values = 0;
  std::size_t bytes = 0;
};

void add_size(const Json& value, Size& size) {
  ++size.values;
  if (value.is_string()) {
    size.bytes += value.get_ref<const std::string&>().size();
  }
  for (const Json& child : value.is_structured() ? value : Json::array()) {
    add_size(child, size);
  }
}

/// A variable and where it was written.
struct Variable {
  Json value;
  JsonPlaces places;
  Size size;
  bool is_used = false;
};

class Substitution {
 public:
  Substitution(const JsonText& document, Diagnostics& diagnostics) : document_{document}, diagnostics_{diagnostics} {
    std::size_t index = 0;
    for (const auto& [key, value] : document.value.get_ref<const Json::object_t&>()) {
      if (key == "vars" && value.is_object()) {
        add_variables(value, document.places.children.at(index));
      }
      ++index;
    }
  }

  void substitute(Json& value, JsonPlaces& places, const std::string& pointer) {
    if (diagnostics_.full() || is_too_large_) {
      return;
    }
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
    std::ranges::copy_if(names_, std::back_inserter(names),
                         [&](const std::string& name) { return !variables_.at(name).is_used; });
    return names;
  }

 private:
  void add_variables(const Json& values, const JsonPlaces& places) {
    for (const auto& [name, value] : values.get_ref<const Json::object_t&>()) {
      Variable variable{.value = value, .places = places.children.at(names_.size()), .size = {}};
      add_size(value, variable.size);
      variables_.emplace(name, std::move(variable));
      names_.push_back(name);
    }
  }

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
      const Variable* variable = find(text.substr(at + 2, end - at - 2), places, pointer);
      if (variable == nullptr) {
        return;
      }
      if (at == 0 && end + 1 == text.size()) {
        put_whole(*variable, value, places, pointer);
        return;
      }
      if (variable->value.is_structured() || variable->value.is_null()) {
        add(places, pointer,
            fmt::format("variable {} is {} and cannot stand inside a longer text", text.substr(at, end + 1 - at),
                        variable->value.dump()));
        return;
      }
      replaced += text.substr(done, at - done);
      replaced += variable->value.is_string() ? variable->value.get<std::string>() : variable->value.dump();
      done = end + 1;
      if (replaced.size() > kLongestText) {
        add(places, pointer, fmt::format("grows beyond {} bytes by its variables", kLongestText));
        return;
      }
    }
    if (done > 0) {
      put_text(replaced + text.substr(done), value, places, pointer);
    }
  }

  // The value was written where the variable was, perhaps by --set vars.NAME=VALUE.
  void put_whole(const Variable& variable, Json& value, JsonPlaces& places, const std::string& pointer) {
    if (grows_by(variable.size, places, pointer)) {
      places.value = variable.places.value;
      places.children = variable.places.children;
      value = variable.value;
    }
  }

  void put_text(std::string text, Json& value, JsonPlaces& places, const std::string& pointer) {
    if (!grows_by({.values = 0, .bytes = text.size()}, places, pointer)) {
      return;
    }
    value = std::move(text);
    if (has_variable(value)) {
      add(places, pointer, fmt::format("becomes {}, a text with a variable, by its variables", shown_value(value)));
    }
  }

  // A few variables that are used often could fill any memory.
  bool grows_by(const Size& size, const JsonPlaces& places, const std::string& pointer) {
    grown_.values += size.values;
    grown_.bytes += size.bytes;
    is_too_large_ = grown_.values > kMostJsonValues || grown_.bytes > kLargestJsonFile;
    if (is_too_large_) {
      const bool is_long = grown_.bytes > kLargestJsonFile;
      add(places, pointer,
          fmt::format("the graph grows by more than {} {} by its variables",
                      is_long ? kLargestJsonFile : kMostJsonValues, is_long ? "bytes" : "values"));
    }
    return !is_too_large_;
  }

  const Variable* find(const std::string& name, const JsonPlaces& places, const std::string& pointer) {
    const auto found = variables_.find(name);
    if (found == variables_.end()) {
      diagnostics_.add_unknown(document_.place_text(places.value), pointer, "variable", name, names_);
      return nullptr;
    }
    found->second.is_used = true;
    return &found->second;
  }

  void add(const JsonPlaces& places, const std::string& pointer, const std::string& message) {
    diagnostics_.add(document_.place_text(places.value), pointer, message);
  }

  const JsonText& document_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, Variable> variables_;
  std::vector<std::string> names_;  // in the order of the document
  Size grown_;
  bool is_too_large_ = false;
};

void check_variable(const JsonSpot& spot, Diagnostics& diagnostics) {
  if (has_variable(spot.value())) {
    diagnostics.add(spot.place(), spot.pointer(), "a variable cannot refer to another");
  }
  for (const auto& [key, member] : spot.members()) {
    check_variable(member, diagnostics);
  }
  for (const JsonSpot& item : spot.items()) {
    check_variable(item, diagnostics);
  }
}

void check_variables(const JsonSpot& vars, Diagnostics& diagnostics) {
  if (!check_object(vars, "an object of variables", diagnostics)) {
    return;
  }
  check_variable(vars, diagnostics);
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
