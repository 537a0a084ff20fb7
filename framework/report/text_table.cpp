// SPDX-License-Identifier: Apache-2.0
#include "framework/report/text_table.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "framework/core/error.h"

namespace dflash {

std::string TextTable::text(std::size_t indent) const {
  if (rows_.empty()) {
    return "";
  }
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) {
    lines.front().push_back(column.title);
  }
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& line : lines) {
    DFLASH_CHECK(line.size() == columns_.size(), "{} cells for {} columns", line.size(), columns_.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], fmt::formatted_size("{}", line[i]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += i == 0 ? "" : "  ";
      out += columns_[i].align == kLeft ? fmt::format("{:<{}}", line[i], widths[i])
                                        : fmt::format("{:>{}}", line[i], widths[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string shortened(const std::string& name, std::size_t width) {
  if (name.size() <= width) {
    return name;
  }
  const std::size_t head = (width - 1) / 2;
  const std::size_t tail = width - 1 - head;
  return name.substr(0, head) + "~" + name.substr(name.size() - tail);
}

std::string wrapped(const std::string& lead, const std::string& text, std::size_t width) {
  std::istringstream words{text};
  std::string out;
  std::string line = lead;
  bool empty = true;
  for (std::string word; words >> word;) {
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = std::string(lead.size(), ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return out + line + "\n";
}

}  // namespace dflash
