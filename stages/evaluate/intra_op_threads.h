// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dflash {

/// Sets the number of threads that LibTorch's operations use on the calling thread, and restores it when it goes.
class IntraOpThreads {
 public:
  explicit IntraOpThreads(int threads);
  IntraOpThreads(const IntraOpThreads&) = delete;
  IntraOpThreads& operator=(const IntraOpThreads&) = delete;
  ~IntraOpThreads();

 private:
  int before_;
};

}  // namespace dflash
