// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/stage.h"

namespace dflash {

/// The stage types a program knows: one explicit table, one line a type.
///
///   catalog.add<TokenPacker>();          // TokenPacker::info() gives name and summary
class Catalog {
 public:
  struct Entry {
    StageInfo info;
    std::function<std::unique_ptr<Stage>()> make;
    std::string plugin{};  // the shared library that brought it; empty: the program itself
  };

  template <class T>
  void add() {
    add_entry(Entry{T::info(), [] { return std::make_unique<T>(); }});
  }
  /// Throws InternalError where the type name is taken.
  void add_entry(Entry entry);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const Entry* find(const std::string& type) const;
  [[nodiscard]] std::vector<std::string> type_names() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace dflash
