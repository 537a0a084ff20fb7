// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include <lzma.h>

#include "framework/core/error.h"
#include "framework/core/named_path.h"

namespace dflash {

namespace {

constexpr std::size_t kChunkBytes = 1 << 18;
constexpr std::string_view kXzMagic{
    "\xFD"
    "7zXZ\0",
    6};

std::ifstream open_file(const std::filesystem::path& path) {
  if (const std::optional<std::string> problem = path_problem(path, PathKind::kFile, "file")) {
    throw UserError(*problem);
  }
  std::ifstream file{path, std::ios::binary};
  DFLASH_USER_CHECK(file.is_open(), "{} cannot be read: {}", path.string(), std::generic_category().message(errno));
  return file;
}

std::string_view read_chunk(std::ifstream& file, std::vector<char>& buffer, const std::filesystem::path& path) {
  file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
  DFLASH_USER_CHECK(!file.bad(), "{} cannot be read to its end", path.string());
  return {buffer.data(), static_cast<std::size_t>(file.gcount())};
}

std::string_view meaning_of(lzma_ret code) {
  switch (code) {
    case LZMA_FORMAT_ERROR:
      return "it is not in the xz format";
    case LZMA_OPTIONS_ERROR:
      return "it uses options that are not supported";
    case LZMA_DATA_ERROR:
      return "its data is damaged";
    case LZMA_BUF_ERROR:
      return "it is cut off";
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR:
      return "there is not enough memory";
    default:
      return "the decoder failed";
  }
}

/// Unpacks a stream that comes in pieces.
class XzDecoder {
 public:
  explicit XzDecoder(const std::filesystem::path& path) : path_{path} {
    check(lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED));
  }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() { lzma_end(&stream_); }

  /// An empty piece says that nothing follows. Returns whether `take` wants more.
  [[nodiscard]] bool decode(std::string_view piece, const TakePiece& take) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
    stream_.avail_in = piece.size();
    const lzma_action action = piece.empty() ? LZMA_FINISH : LZMA_RUN;
    lzma_ret result = LZMA_OK;
    do {
      stream_.next_out = reinterpret_cast<std::uint8_t*>(out_.data());
      stream_.avail_out = out_.size();
      result = lzma_code(&stream_, action);
      const bool wants_more = take({out_.data(), out_.size() - stream_.avail_out});
      if (result == LZMA_STREAM_END || !wants_more) {
        return wants_more;
      }
      check(result);
    } while (stream_.avail_in > 0 || stream_.avail_out == 0 || action == LZMA_FINISH);
    return true;
  }

 private:
  void check(lzma_ret result) const {
    DFLASH_USER_CHECK(result == LZMA_OK, "{} cannot be unpacked: {} (liblzma code {})", path_.string(),
                      meaning_of(result), static_cast<int>(result));
  }

  std::filesystem::path path_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::vector<char> out_ = std::vector<char>(kChunkBytes);
};

}  // namespace

bool is_xz_file(const std::filesystem::path& path) {
  std::ifstream file = open_file(path);
  std::vector<char> head(kXzMagic.size());
  return read_chunk(file, head, path) == kXzMagic;
}

void read_text_chunks(const std::filesystem::path& path, const TakePiece& take) {
  const bool packed = is_xz_file(path);
  std::ifstream file = open_file(path);
  std::vector<char> buffer(kChunkBytes);
  std::unique_ptr<XzDecoder> decoder = packed ? std::make_unique<XzDecoder>(path) : nullptr;
  while (true) {
    const std::string_view piece = read_chunk(file, buffer, path);
    const bool wants_more = decoder ? decoder->decode(piece, take) : piece.empty() || take(piece);
    if (piece.empty() || !wants_more) {
      return;
    }
  }
}

std::string read_text_file(const std::filesystem::path& path) {
  std::string content;
  read_text_chunks(path, [&](std::string_view piece) {
    content += piece;
    return true;
  });
  return content;
}

}  // namespace dflash
