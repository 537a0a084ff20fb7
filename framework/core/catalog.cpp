// SPDX-License-Identifier: Apache-2.0
#include "framework/core/catalog.h"

#include "framework/core/error.h"

namespace dflash {

void Catalog::add_entry(Entry entry) {
  DFLASH_CHECK(find(entry.info.type) == nullptr, "stage type '{}' is in the catalog already", entry.info.type);
  entries_.push_back(std::move(entry));
}

const Catalog::Entry* Catalog::find(const std::string& type) const {
  for (const Entry& entry : entries_) {
    if (entry.info.type == type) {
      return &entry;
    }
  }
  return nullptr;
}

std::vector<std::string> Catalog::type_names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    names.push_back(entry.info.type);
  }
  return names;
}

}  // namespace dflash
