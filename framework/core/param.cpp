// SPDX-License-Identifier: Apache-2.0
#include "framework/core/param.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/core/json_spot.h"
#include "framework/core/nearest_name.h"

namespace dflash {
namespace {

// What JSON kind serves a C++ type, and under which words users read of it.
template <class T>
struct ValueKind;

template <>
struct ValueKind<bool> {
  static constexpr const char* kWords = "boolean";
  static constexpr const char* kSchema = "boolean";
  static bool fits(const Json& value) { return value.is_boolean(); }
};

template <>
struct ValueKind<std::int64_t> {
  static constexpr const char* kWords = "integer";
  static constexpr const char* kSchema = "integer";
  static bool fits(const Json& value) {
    const bool too_large =
        value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value.is_number_integer() && !too_large;
  }
};

template <>
struct ValueKind<double> {
  static constexpr const char* kWords = "number";
  static constexpr const char* kSchema = "number";
  static bool fits(const Json& value) { return value.is_number(); }
};

template <>
struct ValueKind<std::string> {
  static constexpr const char* kWords = "string";
  static constexpr const char* kSchema = "string";
  static bool fits(const Json& value) { return value.is_string(); }
};

template <>
struct ValueKind<std::vector<std::int64_t>> {
  static constexpr const char* kWords = "list of integers";
  static constexpr const char* kSchema = "array";
  static bool fits(const Json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(),
                                           [](const Json& entry) { return ValueKind<std::int64_t>::fits(entry); });
  }
};

template <>
struct ValueKind<std::vector<std::string>> {
  static constexpr const char* kWords = "list of strings";
  static constexpr const char* kSchema = "array";
  static bool fits(const Json& value) {
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Json& entry) { return entry.is_string(); });
  }
};

template <class T>
struct IsOptional : std::false_type {
  using Inner = T;
};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Inner = T;
};

template <class T>
concept Ordered = std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>;

template <class B>
std::string range_text(const std::optional<B>& min, const std::optional<B>& max) {
  if constexpr (Ordered<B>) {
    if (min && max) {
      return fmt::format(" from {} to {}", *min, *max);
    }
    if (min) {
      return fmt::format(", at least {}", *min);
    }
    if (max) {
      return fmt::format(", at most {}", *max);
    }
  }
  return "";
}

template <class B>
bool in_range(const B& value, const std::optional<B>& min, const std::optional<B>& max) {
  if constexpr (Ordered<B>) {
    return (!min || value >= *min) && (!max || value <= *max);
  }
  return true;
}

template <class T>
constexpr bool kIsText = std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::string>>;

// "split" of "spilt", as a clause; empty where no word is near.
std::string nearest_clause(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_name(word, words);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

// The first text that is none of the words; null where all are.
const std::string* stranger_among(const std::string& text, const std::vector<std::string>& words) {
  return std::ranges::find(words, text) == words.end() ? &text : nullptr;
}

const std::string* stranger_among(const std::vector<std::string>& texts, const std::vector<std::string>& words) {
  const auto found = std::ranges::find_if(texts, [&](const std::string& text) { return stranger_among(text, words); });
  return found == texts.end() ? nullptr : &*found;
}

template <class T>
constexpr bool kIsList = std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<std::string>>;

template <class T>
Json to_json(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? Json(*value) : Json(nullptr);
  } else {
    return Json(value);
  }
}

}  // namespace

std::vector<std::string> split_words(std::string_view words) {
  constexpr std::string_view kBetween = " | ";
  std::vector<std::string> split;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(kBetween), words.size());
    split.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + kBetween.size(), words.size()));
  }
  return split;
}

ParamBase::ParamBase(ParamSet& owner, std::string_view name, std::string_view unit, std::string_view help)
    : name_{name}, unit_{unit}, help_{help} {
  owner.declare(*this);
}

ParamBase* ParamSet::find_param(std::string_view name) const {
  for (ParamBase* param : params_) {
    if (param->name() == name) {
      return param;
    }
  }
  return nullptr;
}

template <class T>
std::string Param<T>::type_text() const {
  using Inner = typename IsOptional<T>::Inner;
  std::string kind = ValueKind<Inner>::kWords;
  if (!words_.empty()) {
    kind = fmt::format("{} {}", std::is_same_v<Inner, std::string> ? "one of" : "list of", fmt::join(words_, " | "));
  }
  return fmt::format("{}{}{}{}", kind, range_text(min_, max_), required_ ? ", not empty" : "",
                     IsOptional<T>::value ? ", or null" : "");
}

template <class T>
Json Param<T>::schema() const {
  using Inner = typename IsOptional<T>::Inner;
  Json schema{{"type", ValueKind<Inner>::kSchema}, {"description", help()}, {"default", default_json()}};
  if (required_) {
    schema.erase("default");
    schema["minLength"] = 1;
  }
  if constexpr (IsOptional<T>::value) {
    schema["type"] = Json::array({ValueKind<Inner>::kSchema, "null"});
  }
  if constexpr (std::is_same_v<Inner, std::string>) {
    if (!words_.empty()) {
      schema["enum"] = words_;
      if (IsOptional<T>::value) {
        schema["enum"].push_back(nullptr);
      }
    }
  }
  if constexpr (std::is_same_v<Inner, std::vector<std::int64_t>>) {
    schema["items"] = {{"type", "integer"}};
  }
  if constexpr (std::is_same_v<Inner, std::vector<std::string>>) {
    schema["items"] = words_.empty() ? Json{{"type", "string"}} : Json{{"enum", words_}};
  }
  if constexpr (Ordered<Bound>) {
    if (min_) {
      schema["minimum"] = *min_;
    }
    if (max_) {
      schema["maximum"] = *max_;
    }
  }
  return schema;
}

template <class T>
Json Param<T>::value_json() const {
  return to_json(value_);
}

template <class T>
Json Param<T>::default_json() const {
  return to_json(default_);
}

template <class T>
std::optional<std::string> Param<T>::assign(const Json& value) {
  using Inner = typename IsOptional<T>::Inner;
  if constexpr (IsOptional<T>::value) {
    if (value.is_null()) {
      value_ = std::nullopt;
      is_set_ = true;
      return std::nullopt;
    }
  }
  if (!ValueKind<Inner>::fits(value)) {
    const bool is_lone = kIsList<Inner> && ValueKind<Inner>::fits(Json::array({value}));
    return found_text(value, type_text() + (is_lone ? fmt::format("; did you mean [{}]?", value.dump()) : ""));
  }
  Inner parsed = value.template get<Inner>();
  if constexpr (Ordered<Inner>) {
    if (!in_range<Inner>(parsed, min_, max_)) {
      return found_text(value, type_text());
    }
  }
  if constexpr (std::is_same_v<Inner, std::string>) {
    if (required_ && parsed.empty()) {
      return found_text(value, type_text());
    }
  }
  if constexpr (kIsText<Inner>) {
    const std::string* stranger = words_.empty() ? nullptr : stranger_among(parsed, words_);
    if (stranger != nullptr) {
      return found_text(value, type_text() + nearest_clause(*stranger, words_));
    }
  }
  value_ = std::move(parsed);
  is_set_ = true;
  return std::nullopt;
}

template class Param<bool>;
template class Param<std::int64_t>;
template class Param<double>;
template class Param<std::string>;
template class Param<std::vector<std::int64_t>>;
template class Param<std::vector<std::string>>;
template class Param<std::optional<std::int64_t>>;
template class Param<std::optional<double>>;
template class Param<std::optional<std::string>>;

std::string ChoiceBase::type_text() const {
  const std::string later =
      planned_.empty() ? "" : fmt::format(" (not in this version: {})", fmt::join(planned_, ", "));
  return fmt::format("one of {}{}", fmt::join(words_, " | "), later);
}

Json ChoiceBase::schema() const {
  return Json{{"enum", words_}, {"description", help()}, {"default", words_[default_index_]}};
}

Json ChoiceBase::value_json() const { return words_[index_]; }

Json ChoiceBase::default_json() const { return words_[default_index_]; }

std::optional<std::string> ChoiceBase::assign(const Json& value) {
  const std::string word = value.is_string() ? value.get<std::string>() : "";
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (value.is_string() && words_[i] == word) {
      index_ = i;
      is_set_ = true;
      return std::nullopt;
    }
  }
  if (std::ranges::find(planned_, word) != planned_.end()) {
    return fmt::format("found \"{}\", which this version cannot do; allowed: {}", word, fmt::join(words_, " | "));
  }
  return found_text(value, fmt::format("{}{}", fmt::join(words_, " | "), nearest_clause(word, words_)));
}

}  // namespace dflash
