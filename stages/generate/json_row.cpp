// SPDX-License-Identifier: Apache-2.0
#include "stages/generate/json_row.h"

#include "framework/core/item_fields.h"

namespace dflash {

std::string ItemType<JsonRows>::serialize(const JsonRows& rows) {
  ItemWriter writer{kName};
  writer.add_texts("lines", rows.lines);
  return writer.take();
}

JsonRows ItemType<JsonRows>::deserialize(std::string_view bytes, const std::string&) {
  return {.lines = ItemReader{bytes, kName}.texts("lines")};
}

}  // namespace dflash
