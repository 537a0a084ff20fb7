// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace dflash {

/// A regular expression of a `tokenizer.json`. Such files are written for Oniguruma in its Ruby syntax; what PCRE2
/// would read differently is translated or refused. Safe from several threads, each with a matcher of its own.
class SplitPattern {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Throws UserError with `place`, the pattern and the offset of what is wrong or not supported.
  SplitPattern(const std::string& pattern, const std::string& place);
  SplitPattern(const SplitPattern&) = delete;
  SplitPattern& operator=(const SplitPattern&) = delete;
  SplitPattern(SplitPattern&&) noexcept;
  SplitPattern& operator=(SplitPattern&&) noexcept;
  ~SplitPattern();

  /// The state of matching: one a thread.
  class Matcher {
   public:
    explicit Matcher(const SplitPattern& pattern);
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;
    Matcher(Matcher&&) noexcept;
    Matcher& operator=(Matcher&&) noexcept;
    ~Matcher();
    /// Returns the first match in `text` (UTF-8) that begins at `from` or later; look-behind sees what stands before.
    [[nodiscard]] std::optional<Match> find(std::string_view text, std::size_t from);

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  struct Code;
  std::unique_ptr<Code> code_;
};

/// Translates an Oniguruma (Ruby) pattern to PCRE2's syntax with UCP. Throws UserError as SplitPattern does.
std::string translate_ruby_pattern(std::string_view pattern, const std::string& place);

/// Returns a pattern that matches `literal` alone.
std::string quote_pattern(std::string_view literal);

}  // namespace dflash
