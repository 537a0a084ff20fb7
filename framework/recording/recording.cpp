// SPDX-License-Identifier: Apache-2.0
#include "framework/recording/recording.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

constexpr std::size_t kLongestFirstLine = 4096;
constexpr std::int64_t kMostItems = std::int64_t{1} << 53;

std::ifstream opened(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in{file, std::ios::binary};
  DFLASH_USER_CHECK(in.good() && !std::filesystem::is_directory(file), "cannot open '{}': {}", file.string(),
                    errno != 0 ? std::generic_category().message(errno) : "it is no file");
  return in;
}

std::string items_text(std::size_t count) { return fmt::format("{} item{}", count, count == 1 ? "" : "s"); }

}  // namespace

Recording::Recording(std::filesystem::path file) : file_{std::move(file)} {
  std::ifstream in = opened(file_);
  read_first_line(in);
  const auto at = static_cast<std::int64_t>(in.tellg());
  in.seekg(0, std::ios::end);
  find_items(in, at, static_cast<std::int64_t>(in.tellg()));
}

void Recording::fail(const std::string& fault) const {
  throw UserError(fmt::format("'{}' is damaged: {}", file_.string(), fault));
}

void Recording::read_first_line(std::istream& in) {
  std::array<char, kLongestFirstLine> buffer{};
  in.getline(buffer.data(), buffer.size());
  const Json line = in.good() ? parse_or_discard(buffer.data()) : Json();
  DFLASH_USER_CHECK(line.is_object() && line.contains("schema") && line.at("schema").is_string(),
                    "'{}' is no recording", file_.string());
  const auto schema = line.at("schema").get<std::string>();
  DFLASH_USER_CHECK(schema == kRecordingSchema, "'{}': found the schema \"{}\", allowed: \"{}\"", file_.string(),
                    schema, kRecordingSchema);
  port_ = read_written(line, file_.string(), [](const Json& read) {
    return RecordedPort{.port = read.at("port").get<std::string>(), .type = read.at("type").get<std::string>()};
  });
}

void Recording::find_items(std::istream& in, std::int64_t at, std::int64_t size) {
  while (at < size) {
    const std::string cut_short =
        fmt::format("incomplete: {}, ended within item {}", items_text(entries_.size()), entries_.size() + 1);
    std::array<char, kHeadBytes> text{};
    in.seekg(at);
    if (!in.read(text.data(), text.size())) {
      extent_ = cut_short;
      return;
    }
    const ReadHead read = read_head(text);
    at += static_cast<std::int64_t>(text.size());
    if (!read.known) {
      fail(fmt::format("behind {} stands neither an item nor the end", items_text(entries_.size())));
    }
    if (read.head.kind == RecordKind::kEnd) {
      end(read.head, size - at);
      return;
    }
    if (read.head.length > size - at) {
      extent_ = cut_short;
      return;
    }
    if (read.head.seq < 0 || read.head.seq >= kMostItems ||
        (!entries_.empty() && read.head.seq <= entries_.back().head.seq)) {
      fail(fmt::format("item {} has the sequence number {}, behind {}", entries_.size() + 1, read.head.seq,
                       entries_.empty() ? -1 : entries_.back().head.seq));
    }
    entries_.push_back({.head = read.head, .begin = at});
    at += read.head.length;
  }
  extent_ = fmt::format("incomplete: {} and no end", items_text(entries_.size()));
}

void Recording::end(const RecordHead& head, std::int64_t left) {
  if (!is_sound(head, "") || head.seq != std::ssize(entries_)) {
    fail(fmt::format("its end counts {} items, but there are {}", head.seq, entries_.size()));
  }
  if (left > 0) {
    fail(fmt::format("{} bytes stand behind its end", left));
  }
  is_whole_ = true;
  extent_ = items_text(entries_.size());
}

Recording::Item Recording::read(std::size_t position) const {
  const Entry& entry = entries_.at(position);
  std::ifstream in = opened(file_);
  std::string bytes(static_cast<std::size_t>(entry.head.length), '\0');
  in.seekg(entry.begin);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in || !is_sound(entry.head, bytes)) {
    fail(fmt::format("item {} (of {}) is not what was recorded: its checksum is another", position + 1,
                     entries_.size()));
  }
  return {.seq = entry.head.seq, .firing = entry.head.firing, .bytes = std::move(bytes)};
}

}  // namespace dflash
