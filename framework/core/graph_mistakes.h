// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "framework/core/diagnostics.h"
#include "framework/core/json_text.h"
#include "framework/core/param.h"

namespace dflash {

/// Takes mistakes about the values of a graph by their JSON pointers and finds where each value was written, after the
/// graph has been read and nobody holds its text any more.
class GraphMistakes {
 public:
  /// `document`: the graph's text after all changes; null for a graph made in C++, whose values were written nowhere.
  /// Both outlive this.
  explicit GraphMistakes(Diagnostics& diagnostics, const JsonText* document = nullptr)
      : diagnostics_{diagnostics}, document_{document} {}

  /// The place is that of the value, or of the nearest object around it where the value was not given.
  void add(std::string_view pointer, std::string_view message);
  /// The same for a parameter of the set at `set_pointer` ("/models/target").
  void add(std::string_view set_pointer, const ParamBase& param, std::string_view message);

  /// Whether something at a pointer or below it is known to be wrong, so that what follows from it need not be told.
  [[nodiscard]] bool has_any_at(std::string_view pointer) const { return diagnostics_.has_any_at(pointer); }
  /// Where the value at a pointer was written, or the nearest object around it; empty for a graph made in C++.
  [[nodiscard]] std::string place_of(std::string_view pointer) const;

 private:
  Diagnostics& diagnostics_;
  const JsonText* document_;
};

/// "/models/drafter" and the parameter "loss.gamma" to "/models/drafter/loss/gamma".
std::string param_pointer(std::string_view set_pointer, const ParamBase& param);

}  // namespace dflash
