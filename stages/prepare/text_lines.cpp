// SPDX-License-Identifier: Apache-2.0
#include "stages/prepare/text_lines.h"

#include <utility>

#include "framework/core/item_fields.h"

namespace dflash {

std::string ItemType<TextLines>::serialize(const TextLines& lines) {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  for (const TextLines::Line& line : lines.lines) {
    numbers.push_back(line.number);
    texts.push_back(line.text);
  }
  ItemWriter writer{kName};
  writer.add_text("file", lines.file);
  writer.set("first_row", lines.first_row);
  writer.add("numbers", numbers);
  writer.add_texts("lines", texts);
  return writer.take();
}

TextLines ItemType<TextLines>::deserialize(std::string_view bytes, const std::string&) {
  const ItemReader reader{bytes, kName};
  TextLines lines;
  lines.file = reader.text("file");
  lines.first_row = reader.number("first_row");
  const std::vector<std::int64_t> numbers = reader.numbers("numbers");
  std::vector<std::string> texts = reader.texts("lines");
  reader.check(numbers.size() == texts.size(), "its lines and their numbers are not as many");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    lines.lines.push_back({.number = numbers[i], .text = std::move(texts[i])});
  }
  return lines;
}

}  // namespace dflash
