// SPDX-License-Identifier: Apache-2.0
#include "stages/models/mapped_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file) : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    DFLASH_USER_CHECK(number_ >= 0, "cannot open '{}': {}", file.string(), std::generic_category().message(errno));
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(number_); }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) {
  const OpenFile opened(file);
  struct stat status{};
  DFLASH_USER_CHECK(::fstat(opened.number(), &status) == 0, "cannot read '{}': {}", file.string(),
                    std::generic_category().message(errno));
  DFLASH_USER_CHECK(S_ISREG(status.st_mode), "cannot read '{}': not a file", file.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return;
  }
  void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, opened.number(), 0);
  DFLASH_USER_CHECK(start != MAP_FAILED, "cannot map '{}' ({} bytes): {}", file.string(), size,
                    std::generic_category().message(errno));
  bytes_ = {static_cast<std::byte*>(start), size};
}

void MappedFile::forget(std::span<std::byte> part) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - bytes_.data()) / page * page;
  const std::size_t end = static_cast<std::size_t>(part.data() - bytes_.data()) + part.size();
  if (!part.empty()) {
    ::madvise(bytes_.data() + begin, end - begin, MADV_DONTNEED);  // a hint: nothing depends on it
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(bytes_.data(), bytes_.size());
  }
}

}  // namespace dflash
