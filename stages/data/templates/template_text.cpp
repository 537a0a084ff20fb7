// SPDX-License-Identifier: Apache-2.0
#include "stages/data/templates/template_text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace dflash {

namespace {

/// Walks over a template and knows whether it stands in a string of a `{{ }}` or `{% %}`.
class TemplateWalk {
 public:
  explicit TemplateWalk(std::string_view text) : text_{text} {}

  std::string normalized() {
    for (; at_ < text_.size(); ++at_) {
      if (text_.substr(at_).starts_with("\r\n")) {
        continue;
      }
      const bool in_string = quote_ != '\0';
      if (in_string && text_[at_] == '\n') {
        out_ += "\\n";
        continue;
      }
      step();
      out_ += text_[at_];
    }
    if (out_.ends_with('\n')) {
      out_.pop_back();
    }
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (quote_ != '\0') {
      if (c == '\\' && at_ + 1 < text_.size()) {
        out_ += c;
        ++at_;
      } else if (c == quote_) {
        quote_ = '\0';
      }
    } else if (in_block_) {
      quote_ = c == '\'' || c == '"' ? c : '\0';
      in_block_ = !(ends_with("}}") || ends_with("%}"));
    } else {
      in_block_ = ends_with("{{") || ends_with("{%");
    }
  }
  [[nodiscard]] bool ends_with(std::string_view mark) const { return text_.substr(0, at_ + 1).ends_with(mark); }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_block_ = false;
  char quote_ = '\0';
  std::string out_;
};

}  // namespace

std::string normalized_template(std::string_view text) { return TemplateWalk{text}.normalized(); }

std::uint64_t template_key(std::string_view text) {
  const std::string normalized = normalized_template(text);
  return XXH3_64bits(normalized.data(), normalized.size());
}

}  // namespace dflash
