// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

namespace dflash {

/// One step of splitmix64: a bijection that scatters its argument.
constexpr std::uint64_t scatter(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

/// A random number that depends on the seed and the keys alone (epoch, row, draw), never on what was drawn before: the
/// same on any thread, replica or rank, and after a resume.
constexpr std::uint64_t counter_random(std::uint64_t seed, std::initializer_list<std::uint64_t> keys) {
  std::uint64_t state = scatter(seed);
  for (const std::uint64_t key : keys) {
    state = scatter(state ^ scatter(key));
  }
  return state;
}

/// The same as a number in [0, 1).
constexpr double counter_uniform(std::uint64_t seed, std::initializer_list<std::uint64_t> keys) {
  return static_cast<double>(counter_random(seed, keys) >> 11) * 0x1.0p-53;
}

}  // namespace dflash
