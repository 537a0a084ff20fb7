// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/core/json.h"

namespace dflash {

class ParamSet;

/// One declared parameter: name, type, default, range or choices, unit, help, current value. Parsing, checking,
/// `inspect`, the JSON schema and the docs come from this declaration alone. A dotted name ("loss.gamma") is a key of a
/// nested object.
class ParamBase {
 public:
  ParamBase(const ParamBase&) = delete;
  ParamBase& operator=(const ParamBase&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& help() const { return help_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// "integer", "number", "boolean", "string", "list of integers", "one of a | b", followed by the range if there is
  /// one.
  [[nodiscard]] virtual std::string type_text() const = 0;
  [[nodiscard]] virtual Json schema() const = 0;
  [[nodiscard]] virtual Json value_json() const = 0;
  [[nodiscard]] virtual Json default_json() const = 0;
  /// Takes a value as the file has it: never truncated, never coerced (2.0 is no integer, "8" is no number).
  /// Returns what is wrong ("found 2.5, allowed: an integer from 1 to 64"), or nothing. On an error the value stays.
  [[nodiscard]] virtual std::optional<std::string> assign(const Json& value) = 0;
  [[nodiscard]] bool is_set() const { return is_set_; }
  /// There is no default that could serve: the graph must give it.
  [[nodiscard]] virtual bool is_required() const { return false; }

 protected:
  ParamBase(ParamSet& owner, std::string_view name, std::string_view unit, std::string_view help);
  ~ParamBase() = default;
  bool is_set_ = false;  // given by the user, not the default

 private:
  std::string name_;
  std::string unit_;
  std::string help_;
};

/// A set of declared parameters, in order of declaration. Stages, the `run` section and model sections are such sets.
class ParamSet {
 public:
  ParamSet() = default;
  ParamSet(const ParamSet&) = delete;
  ParamSet& operator=(const ParamSet&) = delete;

  [[nodiscard]] const std::vector<ParamBase*>& params() const { return params_; }
  [[nodiscard]] ParamBase* find_param(std::string_view name) const;
  /// Called by a parameter's constructor.
  void declare(ParamBase& param) { params_.push_back(&param); }

 protected:
  ~ParamSet() = default;

 private:
  std::vector<ParamBase*> params_;
};

/// What a parameter's declaration says besides its name.
template <class T, class Bound>
struct ParamOptions {
  T value{};              // the default
  bool required = false;  // of strings only: must be given, and not as the empty string
  // Not the default constructor: behind some of LibTorch's headers GCC 12 calls that and leaves it out.
  // NOLINTBEGIN(bugprone-string-constructor)
  std::string_view words = std::string_view("", 0);  // of strings only: the only ones allowed: "start | end"
  std::optional<Bound> min{};
  std::optional<Bound> max{};
  std::string_view unit = std::string_view("", 0);
  std::string_view help = std::string_view("", 0);
  // NOLINTEND(bugprone-string-constructor)
};

/// The words of "start | end".
std::vector<std::string> split_words(std::string_view words);

/// A parameter of type bool, std::int64_t, double, std::string, std::vector of std::int64_t or std::string,
/// std::optional<std::int64_t>, std::optional<double> or std::optional<std::string> (absent or JSON null: none).
///
///   Param<std::int64_t> pack_length{*this, "pack_length", {.value = 1024, .min = 8, .unit = "tokens", .help = "..."}};
///   ... pack_length()                              // the value
template <class T>
class Param final : public ParamBase {
 public:
  using Bound = std::conditional_t<std::is_same_v<T, std::optional<std::int64_t>>, std::int64_t,
                                   std::conditional_t<std::is_same_v<T, std::optional<double>>, double, T>>;
  using Options = ParamOptions<T, Bound>;
  Param(ParamSet& owner, std::string_view name, Options options)
      : ParamBase{owner, name, options.unit, options.help},
        value_{options.value},
        default_{std::move(options.value)},
        required_{options.required},
        words_{split_words(options.words)},
        min_{std::move(options.min)},
        max_{std::move(options.max)} {}

  [[nodiscard]] const T& operator()() const { return value_; }
  /// For tests and C++ graphs.
  void set(T value) { value_ = std::move(value), is_set_ = true; }

  [[nodiscard]] std::string type_text() const override;
  [[nodiscard]] Json schema() const override;
  [[nodiscard]] Json value_json() const override;
  [[nodiscard]] Json default_json() const override;
  [[nodiscard]] std::optional<std::string> assign(const Json& value) override;
  [[nodiscard]] bool is_required() const override { return required_; }

 private:
  T value_;
  T default_;
  bool required_;
  std::vector<std::string> words_;
  std::optional<Bound> min_;
  std::optional<Bound> max_;
};

/// A parameter that is one of a few words; an enumeration in C++. Words that are `planned` are refused as such.
///
///   enum class DocumentIds { kRepeatInterleave, kSearchsorted, kHost };
///   Choice<DocumentIds> document_ids{*this, "document_ids", DocumentIds::kHost,
///       {{"repeat_interleave", DocumentIds::kRepeatInterleave}, ...}, "how document ids are computed"};
class ChoiceBase : public ParamBase {
 public:
  [[nodiscard]] std::string type_text() const override;
  [[nodiscard]] Json schema() const override;
  [[nodiscard]] Json value_json() const override;
  [[nodiscard]] Json default_json() const override;
  [[nodiscard]] std::optional<std::string> assign(const Json& value) override;
  [[nodiscard]] const std::string& word() const { return words_[index_]; }
  /// What a later version will take.
  [[nodiscard]] const std::vector<std::string>& planned() const { return planned_; }

 protected:
  ChoiceBase(ParamSet& owner, std::string_view name, std::vector<std::string> words, std::size_t index,
             std::string_view help, std::vector<std::string> planned)
      : ParamBase{owner, name, "", help},
        words_{std::move(words)},
        planned_{std::move(planned)},
        index_{index},
        default_index_{index} {}
  ~ChoiceBase() = default;
  std::vector<std::string> words_;
  std::vector<std::string> planned_;
  std::size_t index_;
  std::size_t default_index_;
};

template <class E>
class Choice final : public ChoiceBase {
 public:
  using Table = std::vector<std::pair<std::string, E>>;
  Choice(ParamSet& owner, std::string_view name, E value, const Table& table, std::string_view help,
         std::vector<std::string> planned = {})
      : ChoiceBase{owner, name, words_of(table), index_of(table, value), help, std::move(planned)} {
    for (const auto& entry : table) {
      values_.push_back(entry.second);
    }
  }
  [[nodiscard]] E operator()() const { return values_[index_]; }
  void set(E value) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == value) {
        index_ = i;
        is_set_ = true;
      }
    }
  }

 private:
  static std::vector<std::string> words_of(const Table& table) {
    std::vector<std::string> words;
    for (const auto& entry : table) {
      words.push_back(entry.first);
    }
    return words;
  }
  static std::size_t index_of(const Table& table, E value) {
    std::size_t index = 0;
    while (index + 1 < table.size() && table[index].second != value) {
      ++index;
    }
    return index;
  }
  std::vector<E> values_;
};

}  // namespace dflash
