// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "stages/data/split_pattern.h"

#include <array>
#include <memory>

#include <pcre2.h>

#include "framework/core/error.h"

namespace dflash {

namespace {

constexpr std::size_t kJitStackStart = std::size_t{32} << 10;
constexpr std::size_t kJitStackMax = std::size_t{64} << 20;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Freed<Free>>;

std::string error_text(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct SplitPattern::Code {
  Owned<pcre2_code, pcre2_code_free> code;
};

struct SplitPattern::Matcher::State {
  const pcre2_code* code = nullptr;
  Owned<pcre2_match_data, pcre2_match_data_free> data;
  Owned<pcre2_match_context, pcre2_match_context_free> context;
  Owned<pcre2_jit_stack, pcre2_jit_stack_free> stack;
};

SplitPattern::SplitPattern(const std::string& pattern, const std::string& place) : code_{std::make_unique<Code>()} {
  const std::string translated = translate_ruby_pattern(pattern, place);
  int error = 0;
  PCRE2_SIZE offset = 0;
  const Owned<pcre2_compile_context, pcre2_compile_context_free> context{pcre2_compile_context_create(nullptr)};
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  code_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                  PCRE2_UTF | PCRE2_UCP, &error, &offset, context.get()));
  DFLASH_USER_CHECK(code_->code != nullptr, "{}: pattern '{}' is not valid at offset {} of '{}': {}", place, pattern,
                    offset, translated, error_text(error));
  const int jit = pcre2_jit_compile(code_->code.get(), PCRE2_JIT_COMPLETE);
  DFLASH_USER_CHECK(jit == 0 || jit == PCRE2_ERROR_JIT_BADOPTION, "{}: pattern '{}' cannot be compiled: {}", place,
                    pattern, error_text(jit));
}

SplitPattern::SplitPattern(SplitPattern&&) noexcept = default;
SplitPattern& SplitPattern::operator=(SplitPattern&&) noexcept = default;
SplitPattern::~SplitPattern() = default;

SplitPattern::Matcher::Matcher(const SplitPattern& pattern) : state_{std::make_unique<State>()} {
  state_->code = pattern.code_->code.get();
  state_->data.reset(pcre2_match_data_create_from_pattern(state_->code, nullptr));
  state_->context.reset(pcre2_match_context_create(nullptr));
  state_->stack.reset(pcre2_jit_stack_create(kJitStackStart, kJitStackMax, nullptr));
  pcre2_jit_stack_assign(state_->context.get(), nullptr, state_->stack.get());
}

SplitPattern::Matcher::Matcher(Matcher&&) noexcept = default;
SplitPattern::Matcher& SplitPattern::Matcher::operator=(Matcher&&) noexcept = default;
SplitPattern::Matcher::~Matcher() = default;

std::optional<SplitPattern::Match> SplitPattern::Matcher::find(std::string_view text, std::size_t from) {
  const int found = pcre2_match(state_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                PCRE2_NO_UTF_CHECK, state_->data.get(), state_->context.get());
  if (found == PCRE2_ERROR_NOMATCH) {
    return std::nullopt;
  }
  DFLASH_USER_CHECK(found > 0, "splitting a text of {} bytes failed at byte {}: {}", text.size(), from,
                    error_text(found));
  const PCRE2_SIZE* range = pcre2_get_ovector_pointer(state_->data.get());
  return Match{.begin = range[0], .end = range[1]};
}

}  // namespace dflash
