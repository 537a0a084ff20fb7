// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>

#include "framework/core/error.h"

namespace dflash {

/// Objects that the application resolves before any stage opens and that stages share, by type: the models, say. They
/// live as long as the run. The framework carries them without knowing what they are.
class Resources {
 public:
  template <class T>
  void put(std::shared_ptr<T> resource) {
    by_type_[std::type_index(typeid(T))] = std::move(resource);
  }
  template <class T>
  [[nodiscard]] bool has() const {
    return by_type_.contains(std::type_index(typeid(T)));
  }
  /// Null where the application has put no such resource.
  template <class T>
  [[nodiscard]] T* find() const {
    const auto found = by_type_.find(std::type_index(typeid(T)));
    return found == by_type_.end() ? nullptr : static_cast<T*>(found->second.get());
  }
  /// Throws InternalError where the application has put no such resource.
  template <class T>
  [[nodiscard]] T& get() const {
    T* resource = find<T>();
    DFLASH_CHECK(resource != nullptr, "no resource of type {}", typeid(T).name());
    return *resource;
  }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<void>> by_type_;
};

}  // namespace dflash
