// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pthread.h>

namespace dflash {

/// The name that `top -H` and debuggers show for the calling thread; Linux keeps its first 15 characters.
inline void name_this_thread(const std::string& name) {
  constexpr std::size_t kLongest = 15;
  pthread_setname_np(pthread_self(), name.substr(0, kLongest).c_str());
}

}  // namespace dflash
