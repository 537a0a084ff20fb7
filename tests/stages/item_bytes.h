// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "framework/core/error.h"
#include "framework/core/item.h"

namespace dflash {

/// What every type that can be recorded promises: its bytes come back as the same bytes.
template <class T>
T comes_back(const T& value) {
  const std::string bytes = ItemType<T>::serialize(value);
  T read = ItemType<T>::deserialize(bytes, "cpu");
  RC_ASSERT(ItemType<T>::serialize(read) == bytes);
  return read;
}

/// And whatever becomes of them, they are read or refused by a UserError.
template <class T>
void is_read_or_refused(std::string bytes) {
  const auto changes = *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, bytes.size()), rc::gen::arbitrary<char>()));
  for (const auto& [at, byte] : changes) {
    bytes[at] = byte;
  }
  bytes.resize(*rc::gen::oneOf(rc::gen::just(bytes.size()), rc::gen::inRange<std::size_t>(0, bytes.size())));
  try {
    (void)ItemType<T>::deserialize(bytes, "cpu");
  } catch (const UserError& error) {
    RC_ASSERT(*error.what() != '\0');
  }
}

inline std::string any_text() { return *rc::gen::arbitrary<std::string>(); }
inline std::int64_t up_to(std::int64_t most) { return *rc::gen::inRange<std::int64_t>(0, most + 1); }

}  // namespace dflash
