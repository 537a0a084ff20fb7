// SPDX-License-Identifier: Apache-2.0
#include "framework/checkpoint/durable_file.h"

#define XXH_INLINE_ALL
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include "framework/core/error.h"

namespace dflash {
namespace {

[[noreturn]] void throw_for(const char* doing, const std::filesystem::path& path, int error) {
  throw UserError(fmt::format("cannot {} '{}': {}", doing, path.string(), std::generic_category().message(error)));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, const char* doing)
      : number_{::open(path.c_str(), flags | O_CLOEXEC, 0666)} {
    if (number_ < 0) {
      throw_for(doing, path, errno);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct FreeHashState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

std::size_t read_some(const Descriptor& file, std::vector<char>& buffer, const std::filesystem::path& path) {
  ssize_t got = 0;
  do {
    got = ::read(file.number(), buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    throw_for("read", path, errno);
  }
  return static_cast<std::size_t>(got);
}

constexpr std::size_t kBufferBytes = std::size_t{128} << 10;

/// The kernel's answer for files that cannot be synced at all (pipes, some devices).
bool sync_is_meaningless(int error) { return error == EINVAL || error == EROFS; }

void sync(const Descriptor& file, const std::filesystem::path& path) {
  if (::fsync(file.number()) != 0 && !sync_is_meaningless(errno)) {
    throw_for("sync", path, errno);
  }
}

/// A write that the system cuts short is gone on with, so that the next one says why.
void write_all(const Descriptor& file, std::string_view text, const char* doing, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      throw_for(doing, path, errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void write_durably(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file{path, O_WRONLY | O_CREAT | O_TRUNC, "write"};
  write_all(file, text, "write", path);
  sync(file, path);
}

void append_text(const std::filesystem::path& path, std::string_view text) {
  const Descriptor file{path, O_WRONLY | O_CREAT | O_APPEND, "append to"};
  write_all(file, text, "append to", path);
}

void replace_durably(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path beside = file;
  beside += ".tmp";
  try {
    write_durably(beside, text);
    if (std::rename(beside.c_str(), file.c_str()) != 0) {
      throw_for("rename to", file, errno);
    }
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw;
  }
  sync_to_disk(file.has_parent_path() ? file.parent_path() : ".");
}

void sync_to_disk(const std::filesystem::path& path) { sync(Descriptor{path, O_RDONLY, "open"}, path); }

std::string read_text(const std::filesystem::path& path) {
  const Descriptor file{path, O_RDONLY, "open"};
  std::vector<char> buffer(kBufferBytes);
  std::string text;
  for (std::size_t got = read_some(file, buffer, path); got > 0; got = read_some(file, buffer, path)) {
    text.append(buffer.data(), got);
  }
  return text;
}

std::string hash_file(const std::filesystem::path& path) {
  const Descriptor file{path, O_RDONLY, "open"};
  const std::unique_ptr<XXH3_state_t, FreeHashState> state{XXH3_createState()};
  XXH3_64bits_reset(state.get());
  std::vector<char> buffer(kBufferBytes);
  for (std::size_t got = read_some(file, buffer, path); got > 0; got = read_some(file, buffer, path)) {
    XXH3_64bits_update(state.get(), buffer.data(), got);
  }
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

std::string hash_text(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace dflash
