// SPDX-License-Identifier: Apache-2.0
#include "framework/core/json_text.h"

#include <array>
#include <fstream>
#include <unordered_set>

#include <fmt/format.h>

#include "framework/core/error.h"
#include "framework/core/json_cursor.h"
#include "framework/core/json_syntax.h"
#include "framework/core/named_path.h"

namespace dflash {
namespace {

constexpr std::size_t kPieceBytes = 64U << 10U;

// Builds the value and its places from the parser's events. Members go in at the end without a search, which would take
// quadratic time on an object of a million keys.
class PlacedBuilder final : public nlohmann::json_sax<Json> {
 public:
  PlacedBuilder(std::string_view text, const std::string& source, Diagnostics& diagnostics)
      : text_{text}, cursor_{text}, source_{source}, diagnostics_{diagnostics} {}

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(std::int64_t value) override { return scalar(value); }
  bool number_unsigned(std::uint64_t value) override { return scalar(value); }
  bool number_float(double value, const std::string&) override { return scalar(value); }
  bool string(std::string& value) override { return scalar(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Frame& frame = frames_.back();
    frame.key_place = next_token();
    const auto [first, is_new] = frame.keys.emplace(name);
    frame.discards_next = !is_new;
    if (!is_new) {
      add(frame.key_place, fmt::format("key '{}' appears twice; first at {}", name, first_place(frame, name)));
    }
    frame.key = std::move(name);
    if (frame.keys.size() > kMostJsonKeys) {
      return add(frame.key_place,
                 fmt::format("an object of more than {} keys; no graph needs that many", kMostJsonKeys));
    }
    return !diagnostics_.full();
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    cursor_.skip_blanks(true);
    const JsonPlace comma = here();
    if (cursor_.peek() == ',') {
      cursor_.step();
      cursor_.skip_blanks(true);
      if (cursor_.peek() == '}' || cursor_.peek() == ']') {
        return add(comma, fmt::format("trailing comma before '{}'; remove it", cursor_.peek()));
      }
    }
    const SyntaxMistake mistake = syntax_mistake(text_, error);
    return add({0, mistake.line, mistake.column}, fmt::format("not JSON: {}", mistake.what));
  }

  JsonText take() { return {std::move(root_), std::move(root_places_), {source_}}; }

 private:
  struct Frame {
    Json value;
    JsonPlaces places;
    std::unordered_set<std::string> keys;
    std::string key;
    JsonPlace key_place;
    bool discards_next = false;
  };

  [[nodiscard]] JsonPlace here() const { return {0, cursor_.line(), cursor_.column()}; }

  JsonPlace next_token() {
    cursor_.skip_blanks();
    const JsonPlace place = here();
    cursor_.skip_token();
    return place;
  }

  bool add(const JsonPlace& place, const std::string& message) {
    diagnostics_.add(fmt::format("{}:{}:{}", source_, place.line, place.column), "", message);
    return false;
  }

  [[nodiscard]] std::string first_place(const Frame& frame, const std::string& name) const {
    std::size_t index = 0;
    for (const auto& [key, value] : frame.value.get_ref<const Json::object_t&>()) {
      if (key == name) {
        return fmt::format("{}:{}", frame.places.children[index].key.line, frame.places.children[index].key.column);
      }
      ++index;
    }
    return "an outer place";
  }

  bool counts() {
    return ++values_ <= kMostJsonValues ||
           add(here(), fmt::format("more than {} values; no graph needs that many", kMostJsonValues));
  }

  bool scalar(Json value) {
    const JsonPlace place = next_token();
    attach(std::move(value), {place, place, {}});
    return counts();
  }

  bool open(Json value) {
    const JsonPlace place = next_token();
    frames_.push_back({.value = std::move(value), .places = {place, place, {}}});
    return counts() &&
           (frames_.size() <= kDeepestJson || add(place, fmt::format("nested deeper than {} levels", kDeepestJson)));
  }

  bool close() {
    next_token();
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    attach(std::move(frame.value), std::move(frame.places));
    return true;
  }

  void attach(Json value, JsonPlaces places) {
    if (frames_.empty()) {
      root_ = std::move(value);
      root_places_ = std::move(places);
      return;
    }
    Frame& parent = frames_.back();
    if (parent.discards_next) {
      return;
    }
    if (parent.value.is_object()) {
      places.key = parent.key_place;
      parent.value.get_ref<Json::object_t&>().emplace_back(std::move(parent.key), std::move(value));
    } else {
      parent.value.get_ref<Json::array_t&>().push_back(std::move(value));
    }
    parent.places.children.push_back(std::move(places));
  }

  std::string_view text_;
  JsonCursor cursor_;
  std::string source_;
  Diagnostics& diagnostics_;
  std::vector<Frame> frames_;
  Json root_;
  JsonPlaces root_places_;
  std::size_t values_ = 0;
};

}  // namespace

std::string JsonText::place_text(const JsonPlace& place) const {
  const std::string& source = sources.at(place.source);
  return place.line == 0 ? source : fmt::format("{}:{}:{}", source, place.line, place.column);
}

std::optional<JsonText> parse_json_text(std::string_view text, const std::string& source, Diagnostics& diagnostics) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  PlacedBuilder builder{text, source, diagnostics};
  if (!Json::sax_parse(text.begin(), text.end(), &builder, Json::input_format_t::json, true, true)) {
    return std::nullopt;
  }
  if (const std::optional<SyntaxMistake> mistake = overlooked_mistake(text)) {
    diagnostics.add(fmt::format("{}:{}:{}", source, mistake->line, mistake->column), "", mistake->what);
    return std::nullopt;
  }
  return builder.take();
}

JsonText read_json_file(const std::filesystem::path& path, std::string_view what, Diagnostics& diagnostics) {
  if (const std::optional<std::string> problem = path_problem(path, PathKind::kFile, what)) {
    throw UserError(*problem);
  }
  std::ifstream file{path, std::ios::binary};
  DFLASH_USER_CHECK(file.is_open(), "{}: cannot be read", path.string());
  std::string text;
  std::array<char, kPieceBytes> piece{};
  while (text.size() <= kLargestJsonFile && file) {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  DFLASH_USER_CHECK(!file.bad(), "{}: reading failed", path.string());
  DFLASH_USER_CHECK(text.size() <= kLargestJsonFile, "{}: a {} has at most {} bytes, this one has more", path.string(),
                    what, kLargestJsonFile);
  std::optional<JsonText> read = parse_json_text(text, path.string(), diagnostics);
  if (!read) {
    diagnostics.throw_if_any();
  }
  DFLASH_CHECK(read.has_value(), "no value and no mistake in {}", path.string());
  return std::move(*read);
}

JsonPlaces places_like(const Json& value, const JsonPlace& place) {
  JsonPlaces places{place, place, {}};
  for (const Json& child : value.is_structured() ? value : Json::array()) {
    places.children.push_back(places_like(child, place));
  }
  return places;
}

}  // namespace dflash
