// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/core/item.h"

namespace dflash {

class Stage;

/// A named, typed end of a stage. Ports are members of their stage: the member is the declaration and the access, so a
/// mistyped port does not compile. A port registers itself with its stage and lives exactly as long.
class Port {
 public:
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& help() const { return help_; }
  [[nodiscard]] const ItemTypeInfo& type() const { return *type_; }
  [[nodiscard]] Stage& stage() const { return *stage_; }
  /// Position among the inputs, or among the outputs, of its stage.
  [[nodiscard]] std::size_t index() const { return index_; }

 protected:
  Port(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type, std::size_t index)
      : stage_{&stage}, name_{name}, help_{help}, type_{&type}, index_{index} {}
  ~Port() = default;

 private:
  Stage* stage_;
  std::string name_;
  std::string help_;
  const ItemTypeInfo* type_;
  std::size_t index_;
};

/// An input without its C++ type. Exactly one edge ends here; an unconnected input is refused by `check`.
class InputPort : public Port {
 protected:
  InputPort(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type);
  ~InputPort() = default;
};

/// An output without its C++ type. Any number of edges start here; each sees every item. None: a warning, items are
/// dropped.
class OutputPort : public Port {
 protected:
  OutputPort(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type);
  ~OutputPort() = default;
};

/// An input whose type is known only when its stage is made: of a stage that never looks into a payload.
class UntypedInput final : public InputPort {
 public:
  UntypedInput(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type)
      : InputPort{stage, name, help, type} {}
};

/// The same for an output: of a stage that makes payloads by their ItemTypeInfo.
class UntypedOutput final : public OutputPort {
 public:
  UntypedOutput(Stage& stage, std::string_view name, std::string_view help, const ItemTypeInfo& type)
      : OutputPort{stage, name, help, type} {}
};

template <class T>
class Input final : public InputPort {
 public:
  Input(Stage& stage, std::string_view name, std::string_view help) : InputPort{stage, name, help, item_type<T>()} {}
};

template <class T>
class Output final : public OutputPort {
 public:
  Output(Stage& stage, std::string_view name, std::string_view help) : OutputPort{stage, name, help, item_type<T>()} {}
};

}  // namespace dflash
