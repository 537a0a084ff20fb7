// SPDX-License-Identifier: Apache-2.0
#include "framework/report/summary_text.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/report/text_table.h"

namespace dflash {
namespace {

constexpr std::size_t kStep = 2;  // by which what is nested is indented
constexpr std::size_t kMostRows = 12;
constexpr std::size_t kCellColumns = 40;

bool is_text_of_lines(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos;
}

/// A value, a list of numbers, or an object of such: what reads well on one line.
bool is_on_one_line(const Json& value) {
  if (value.is_object()) {
    return std::none_of(value.begin(), value.end(),
                        [](const Json& inner) { return inner.is_object() || !is_on_one_line(inner); });
  }
  if (value.is_array()) {
    return std::all_of(value.begin(), value.end(),
                       [](const Json& inner) { return inner.is_number() || inner.is_boolean(); });
  }
  return !is_text_of_lines(value);
}

std::string joined(std::string text, const std::string& next) {
  text += (text.empty() ? "" : ", ") + next;
  return text;
}

std::string line_text(const Json& value) {
  std::string text;
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      text = joined(std::move(text), fmt::format("{} {}", key, line_text(inner)));
    }
  } else if (value.is_array()) {
    for (const Json& inner : value) {
      text = joined(std::move(text), line_text(inner));
    }
  } else if (value.is_null()) {
    text = "-";
  } else if (value.is_number_float()) {
    text = fmt::format("{:.6g}", value.get<double>());
  } else if (value.is_string()) {
    text = value.get<std::string>();
  } else {
    text = value.dump();
  }
  return text.empty() ? "none" : text;
}

/// The keys of all rows, in the order in which they first come.
std::vector<std::string> keys_of_rows(const Json& rows) {
  std::vector<std::string> keys;
  for (const Json& row : rows) {
    for (const auto& item : row.items()) {
      if (std::ranges::find(keys, item.key()) == keys.end()) {
        keys.push_back(item.key());
      }
    }
  }
  return keys;
}

std::string table_text(const Json& rows, std::size_t indent) {
  const std::vector<std::string> keys = keys_of_rows(rows);
  std::vector<TextTable::Column> columns;
  for (const std::string& key : keys) {
    const bool has_words =
        std::any_of(rows.begin(), rows.end(), [&](const Json& row) { return row.value(key, Json()).is_string(); });
    columns.push_back({key, has_words ? TextTable::kLeft : TextTable::kRight});
  }
  TextTable table{std::move(columns)};
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    std::vector<std::string> cells;
    for (const std::string& key : keys) {
      cells.push_back(shortened(line_text(rows[i].value(key, Json())), kCellColumns));
    }
    table.row(std::move(cells));
  }
  std::string text = table.text(indent);
  if (rows.size() > kMostRows) {
    text += fmt::format("{:{}}... and {} more, in report.json\n", "", indent, rows.size() - kMostRows);
  }
  return text;
}

std::string lines_text(const std::string& lines, std::size_t indent, std::size_t columns) {
  std::istringstream stream{lines};
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t words = std::min(line.find_first_not_of(' '), line.size());
    text += wrapped(std::string(indent + words, ' '), line.substr(words), columns);
  }
  return text;
}

/// What stands below its key.
std::string block_text(const Json& value, std::size_t indent, std::size_t columns) {
  if (value.is_string()) {
    return lines_text(value.get<std::string>(), indent, columns);
  }
  if (value.is_object()) {
    return summary_text(value, indent, columns);
  }
  if (std::all_of(value.begin(), value.end(), [](const Json& row) { return row.is_object(); })) {
    return table_text(value, indent);
  }
  std::string text;
  for (const Json& inner : value) {
    text += is_on_one_line(inner) ? lines_text(line_text(inner), indent, columns) : block_text(inner, indent, columns);
  }
  return text;
}

}  // namespace

std::string summary_text(const Json& values, std::size_t indent, std::size_t columns) {
  std::size_t longest = 0;
  for (const auto& [key, value] : values.items()) {
    longest = is_on_one_line(value) ? std::max(longest, key.size()) : longest;
  }
  const std::string margin(indent, ' ');
  std::string text;
  for (const auto& [key, value] : values.items()) {
    text += is_on_one_line(value) ? wrapped(fmt::format("{}{:<{}}  ", margin, key, longest), line_text(value), columns)
                                  : fmt::format("{}{}\n{}", margin, key, block_text(value, indent + kStep, columns));
  }
  return text;
}

}  // namespace dflash
