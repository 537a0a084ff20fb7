// SPDX-License-Identifier: Apache-2.0
#include "framework/report/page_template.h"

namespace dflash {

std::string filled_page(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string text;
  while (true) {
    const std::size_t begin = page.find("{{");
    const std::size_t end = page.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) {
      return text.append(page);
    }
    text += page.substr(0, begin);
    for (const auto& [name, part] : parts) {
      if (page.substr(begin + 2, end - begin - 2) == name) {
        text += part;
      }
    }
    page.remove_prefix(end + 2);
  }
}

std::string script_text(std::span<const std::string_view> scripts) {
  std::string text = "(() => {\n\"use strict\";\n";
  for (const std::string_view script : scripts) {
    text += script;
  }
  return text + "})();\n";
}

}  // namespace dflash
