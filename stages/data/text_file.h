// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

class XzDecoder;

/// A file's content piece by piece: as it stands, or unpacked where the file begins with the magic bytes of xz. All
/// throw UserError where the file is missing, cannot be read, is a folder, or is damaged.
class TextPieces {
 public:
  explicit TextPieces(const std::filesystem::path& path);
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;
  ~TextPieces();

  /// The next piece, which stays valid until the next call; empty at the end.
  [[nodiscard]] std::string_view next();
  /// Leaves out that many bytes of the content; what is packed is unpacked up to there.
  void skip(std::uint64_t bytes);

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::vector<char> buffer_;
  std::unique_ptr<XzDecoder> decoder_;
  std::string_view rest_;  // of a piece that `skip` ended in
};

/// Takes a piece of a file's content; returns whether it wants more.
using TakePiece = std::function<bool(std::string_view)>;

/// Calls `take` with the pieces of the file's content, see TextPieces, while it wants more.
void read_text_chunks(const std::filesystem::path& path, const TakePiece& take);

/// Returns the whole content; see read_text_chunks.
std::string read_text_file(const std::filesystem::path& path);

/// Says whether the file begins with the magic bytes of xz. Throws UserError where it cannot be read.
bool is_xz_file(const std::filesystem::path& path);

}  // namespace dflash
