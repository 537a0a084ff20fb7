// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "framework/core/counter_random.h"
#include "framework/runtime/executor.h"
#include "tests/framework/tangle.h"
#include "tests/support/resident_memory.h"

/// Runs a graph in which everything can block or starve over and over for so many minutes, by oneTBB's workers and by a
/// single worker in an order that each run's number draws. Every run must give the same sums; resident memory must
/// stay. A hang shows as a program that does not end.
///
///   build/release/bench/engine_soak MINUTES

namespace {

std::int64_t resident_kib() { return dflash::resident_pages() * 4; }

std::vector<std::int64_t> run(std::uint64_t number) {
  const std::uint64_t drawn = dflash::counter_random(11, {number});
  const auto pause = std::chrono::microseconds{number % 5 == 0 ? static_cast<std::int64_t>(drawn % 60) : 0};
  dflash::Tangle tangle{500, pause};
  std::vector<std::int64_t> sums = tangle.run(number % 2 == 0 ? std::optional{drawn} : std::nullopt);
  return tangle.record.outcome.code == 0 ? sums : std::vector<std::int64_t>{};
}

}  // namespace

int main(int argc, char** argv) {
  const double minutes = argc > 1 ? std::strtod(argv[1], nullptr) : 1.0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::ratio<60>>{minutes};
  const std::vector<std::int64_t> expected = run(1);
  std::uint64_t runs = 1;
  std::int64_t early_kib = 0;
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    if (run(runs) != expected || expected.empty()) {
      fmt::print("run {} gave other sums\n", runs);
      return 1;
    }
    early_kib = runs == 500 ? resident_kib() : early_kib;
  }
  fmt::print("{} runs in {} minutes, all alike; resident {} KiB after 500 runs, {} KiB at the end\n", runs, minutes,
             early_kib, resident_kib());
  return 0;
}
