// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// Collects the mistakes of a pass over a user's text, so that all of them are told at once.
///
/// A mistake reads like a compiler's: "graphs/train.json:12:5: /stages/drafter/params/fc: found "spilt", allowed: ...".
class Diagnostics {
 public:
  /// More than this many mistakes say nothing new; a pass over a large file may stop at `full()`.
  static constexpr std::size_t kMost = 50;

  /// `place`: file, line and column, or the command-line option. `pointer`: the JSON pointer. Either may be empty where
  /// there is none. What was added already is not added again.
  void add(std::string_view place, std::string_view pointer, std::string_view message);
  /// "unknown WHAT 'NAME'", with the nearest of `known`, or all of them where none is near.
  void add_unknown(std::string_view place, std::string_view pointer, std::string_view what, std::string_view name,
                   const std::vector<std::string>& known);

  [[nodiscard]] bool empty() const { return mistakes_.empty(); }
  [[nodiscard]] bool full() const { return mistakes_.size() >= kMost; }
  [[nodiscard]] const std::vector<std::string>& mistakes() const { return mistakes_; }
  /// Whether a mistake was added with this JSON pointer or one below it.
  [[nodiscard]] bool has_any_at(std::string_view pointer) const;
  /// Throws one UserError that lists all, in the order they were added; nothing where there is none.
  void throw_if_any() const;

 private:
  std::vector<std::string> mistakes_;
  std::vector<std::string> pointers_;
};

}  // namespace dflash
