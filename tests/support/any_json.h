// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

namespace dflash {

/// Any JSON value that is no object or list: numbers of all sizes, texts of characters of one and two bytes.
template <class Value>
rc::Gen<Value> any_scalar() {
  return rc::gen::oneOf(
      rc::gen::just(Value(nullptr)), rc::gen::map(rc::gen::arbitrary<bool>(), [](bool value) { return Value(value); }),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t value) { return Value(value); }),
      rc::gen::map(rc::gen::inRange(-4, 9), [](int value) { return Value(value); }),
      rc::gen::map(rc::gen::arbitrary<double>(), [](double value) { return Value(value); }),
      rc::gen::map(rc::gen::string<std::string>(), [](const std::string& bytes) {
        std::string text;
        for (const char byte : bytes) {
          text += (static_cast<unsigned char>(byte) & 0x80U) == 0 ? std::string{byte} : "\u00E9";
        }
        return Value(std::move(text));
      }));
}

/// Any JSON value of at most `depth` levels.
template <class Value>
rc::Gen<Value> any_json(int depth) {
  if (depth == 0) {
    return any_scalar<Value>();
  }
  const auto list = rc::gen::map(rc::gen::container<std::vector<Value>>(any_json<Value>(depth - 1)),
                                 [](const std::vector<Value>& items) { return Value(items); });
  const auto object =
      rc::gen::map(rc::gen::container<std::vector<std::pair<std::string, Value>>>(rc::gen::pair(
                       rc::gen::element<std::string>("a", "type", "", "x/~y", "content"), any_json<Value>(depth - 1))),
                   [](const std::vector<std::pair<std::string, Value>>& members) {
                     Value made = Value::object();
                     for (const auto& [key, value] : members) {
                       made[key] = value;
                     }
                     return made;
                   });
  return rc::gen::oneOf(any_scalar<Value>(), list, object);
}

/// The pointers to a value and all values inside it.
template <class Value>
void add_pointers(const Value& value, const typename Value::json_pointer& at,
                  std::vector<typename Value::json_pointer>& pointers) {
  pointers.push_back(at);
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      add_pointers(child, at / key, pointers);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_pointers(value[i], at / i, pointers);
    }
  }
}

/// The value with one to three of the values inside it replaced or removed; a number often becomes a small one.
template <class Value>
Value mutated(Value value) {
  const int changes = *rc::gen::inRange(1, 4);
  for (int change = 0; change < changes; ++change) {
    std::vector<typename Value::json_pointer> pointers;
    add_pointers(value, typename Value::json_pointer{}, pointers);
    const auto at = *rc::gen::elementOf(pointers);
    const bool removes = !at.empty() && *rc::gen::inRange(0, 3) == 0;
    if (removes && value.at(at.parent_pointer()).is_object()) {
      value.at(at.parent_pointer()).erase(at.back());
    } else {
      const bool is_near = value.at(at).is_number() && *rc::gen::arbitrary<bool>();
      value.at(at) = is_near ? Value(*rc::gen::inRange(-4, 9)) : *any_json<Value>(*rc::gen::inRange(0, 3));
    }
  }
  return value;
}

}  // namespace dflash
