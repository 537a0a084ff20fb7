// SPDX-License-Identifier: Apache-2.0
#include "stages/data/line_reader.h"

namespace dflash {

LineReader::LineReader(const std::filesystem::path& path, Place from) : pieces_{path}, place_{from} {
  if (from.offset > 0) {
    pieces_.skip(from.offset);
  }
}

bool LineReader::read_line(std::string& line) {
  line.clear();
  bool found = false;
  while (true) {
    if (piece_.empty()) {
      piece_ = pieces_.next();
    }
    if (piece_.empty()) {
      break;
    }
    found = true;
    const std::size_t end = piece_.find('\n');
    const std::string_view part = piece_.substr(0, end);
    line += part;
    place_.offset += part.size();
    piece_.remove_prefix(part.size());
    if (end != std::string_view::npos) {
      piece_.remove_prefix(1);
      ++place_.offset;
      break;
    }
  }
  place_.line += found ? 1 : 0;
  return found;
}

bool LineReader::next(std::string& line) {
  while (read_line(line)) {
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != std::string::npos) {
      line.resize(last + 1);
      return true;
    }
  }
  return false;
}

}  // namespace dflash
