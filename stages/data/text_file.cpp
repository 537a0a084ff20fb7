// SPDX-License-Identifier: Apache-2.0
#include "stages/data/text_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>
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

}  // namespace

/// Unpacks a stream.
class XzDecoder {
 public:
  explicit XzDecoder(const std::filesystem::path& path) : path_{path} {
    check(lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED));
  }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() { lzma_end(&stream_); }

  /// The next piece; empty at the end. `read` gives what is packed, empty at its end.
  template <class Read>
  [[nodiscard]] std::string_view next(const Read& read) {
    while (!ended_) {
      if (stream_.avail_in == 0 && !input_ended_) {
        const std::string_view piece = read();
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
        stream_.avail_in = piece.size();
        input_ended_ = piece.empty();
      }
      stream_.next_out = reinterpret_cast<std::uint8_t*>(out_.data());
      stream_.avail_out = out_.size();
      const lzma_ret result = lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
      ended_ = result == LZMA_STREAM_END;
      const std::size_t made = out_.size() - stream_.avail_out;
      if (!ended_ && (made == 0 || result != LZMA_OK)) {
        check(result);
      }
      if (made > 0) {
        return {out_.data(), made};
      }
    }
    return {};
  }

 private:
  void check(lzma_ret result) const {
    DFLASH_USER_CHECK(result == LZMA_OK, "{} cannot be unpacked: {} (liblzma code {})", path_.string(),
                      meaning_of(result), static_cast<int>(result));
  }

  std::filesystem::path path_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::vector<char> out_ = std::vector<char>(kChunkBytes);
  bool input_ended_ = false;
  bool ended_ = false;
};

bool is_xz_file(const std::filesystem::path& path) {
  std::ifstream file = open_file(path);
  std::vector<char> head(kXzMagic.size());
  return read_chunk(file, head, path) == kXzMagic;
}

TextPieces::TextPieces(const std::filesystem::path& path)
    : path_{path},
      file_{open_file(path)},
      buffer_(kChunkBytes),
      decoder_{is_xz_file(path) ? std::make_unique<XzDecoder>(path) : nullptr} {}

TextPieces::~TextPieces() = default;

std::string_view TextPieces::next() {
  if (!rest_.empty()) {
    return std::exchange(rest_, {});
  }
  return decoder_ ? decoder_->next([&] { return read_chunk(file_, buffer_, path_); })
                  : read_chunk(file_, buffer_, path_);
}

void TextPieces::skip(std::uint64_t bytes) {
  if (!decoder_ && rest_.empty()) {
    file_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
    return;
  }
  while (bytes > 0) {
    const std::string_view piece = next();
    if (piece.empty()) {
      return;
    }
    const std::size_t left_out = std::min<std::uint64_t>(bytes, piece.size());
    bytes -= left_out;
    rest_ = piece.substr(left_out);
  }
}

void read_text_chunks(const std::filesystem::path& path, const TakePiece& take) {
  TextPieces pieces{path};
  for (std::string_view piece = pieces.next(); !piece.empty() && take(piece); piece = pieces.next()) {
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
