// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/recording/record_head.h"
#include "framework/recording/recording_writer.h"

namespace dflash {

/// A file of recorded items. Any bytes are safe: what is no recording, or a damaged one, is a UserError that names the
/// file. A recording whose run was killed or failed has no end; it is read as far as it goes.
class Recording {
 public:
  struct Item {
    std::int64_t seq = 0;
    std::int64_t firing = 0;
    std::string bytes;
  };

  /// Finds all items, without reading their bytes.
  explicit Recording(std::filesystem::path file);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const RecordedPort& port() const { return port_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Ascending; what is left out between two are firings that were skipped.
  [[nodiscard]] std::int64_t seq(std::size_t position) const { return entries_[position].head.seq; }
  /// Reads an item and checks its sum.
  [[nodiscard]] Item read(std::size_t position) const;

  /// All that was to be recorded is there.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  /// "12 items", "incomplete: 12 items, ended within item 13".
  [[nodiscard]] const std::string& extent() const { return extent_; }

 private:
  struct Entry {
    RecordHead head;
    std::int64_t begin = 0;  // of its bytes in the file
  };
  void read_first_line(std::istream& in);
  void find_items(std::istream& in, std::int64_t at, std::int64_t size);
  void end(const RecordHead& head, std::int64_t left);
  [[noreturn]] void fail(const std::string& fault) const;

  std::filesystem::path file_;
  RecordedPort port_;
  std::vector<Entry> entries_;
  bool is_whole_ = false;
  std::string extent_;
};

}  // namespace dflash
