// SPDX-License-Identifier: Apache-2.0
#include "framework/core/overlay.h"

#include <utility>

namespace dflash {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::size_t member_index(const Json& object, const std::string& key) {
  std::size_t index = 0;
  for (const auto& member : object.get_ref<const Json::object_t&>()) {
    if (member.first == key) {
      return index;
    }
    ++index;
  }
  return kNone;
}

// The index of a member, made where there is none.
std::size_t member_made(Json& object, JsonPlaces& places, const std::string& key, const JsonPlaces& like) {
  const std::size_t index = member_index(object, key);
  if (index != kNone) {
    return index;
  }
  object.get_ref<Json::object_t&>().emplace_back(key, nullptr);
  places.children.push_back({like.value, like.key, {}});
  return places.children.size() - 1;
}

void remove_member(Json& object, JsonPlaces& places, const std::string& key) {
  const std::size_t index = member_index(object, key);
  if (index != kNone) {
    object.erase(key);
    places.children.erase(places.children.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

void make_object(Json& value, JsonPlaces& places, const JsonPlaces& like) {
  if (!value.is_object()) {
    value = Json::object();
    places.value = like.value;
    places.children.clear();
  }
}

void shift_sources(JsonPlaces& places, std::uint32_t offset) {
  places.value.source += offset;
  places.key.source += offset;
  for (JsonPlaces& child : places.children) {
    shift_sources(child, offset);
  }
}

void merge(Json& value, JsonPlaces& places, const Json& patch, const JsonPlaces& patch_places) {
  if (!patch.is_object()) {
    value = patch;
    places.value = patch_places.value;
    places.children = patch_places.children;
    return;
  }
  make_object(value, places, patch_places);
  std::size_t next = 0;
  for (const auto& [key, child] : patch.get_ref<const Json::object_t&>()) {
    const JsonPlaces& child_places = patch_places.children.at(next++);
    if (child.is_null()) {
      remove_member(value, places, key);
    } else {
      const std::size_t index = member_made(value, places, key, child_places);
      merge((value.get_ref<Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(index))->second,
            places.children[index], child, child_places);
    }
  }
}

}  // namespace

void merge_overlay(JsonText& document, const JsonText& overlay) {
  JsonPlaces places = overlay.places;
  shift_sources(places, static_cast<std::uint32_t>(document.sources.size()));
  document.sources.insert(document.sources.end(), overlay.sources.begin(), overlay.sources.end());
  merge(document.value, document.places, overlay.value, places);
}

Json overlay_between(const Json& from, const Json& to) {
  if (!from.is_object() || !to.is_object()) {
    return to;
  }
  Json overlay = Json::object();
  for (const auto& [key, value] : from.items()) {
    if (!to.contains(key)) {
      overlay[key] = nullptr;
    }
  }
  for (const auto& [key, value] : to.items()) {
    const auto before = from.find(key);
    if (before == from.end()) {
      overlay[key] = value;
    } else if (*before != value) {
      overlay[key] = overlay_between(*before, value);
    }
  }
  return overlay;
}

std::vector<std::string> put_value(JsonText& document, const std::vector<std::string>& path, Json value,
                                   const std::string& source) {
  const JsonPlace place{static_cast<std::uint32_t>(document.sources.size()), 0, 0};
  const Json* look = &document.value;
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    if (!look->is_object()) {
      return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)};
    }
    const std::size_t index = member_index(*look, path[depth]);
    if (index == kNone) {
      break;
    }
    look = &(look->get_ref<const Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(index))->second;
  }
  document.sources.push_back(source);
  Json* at = &document.value;
  JsonPlaces* places = &document.places;
  const JsonPlaces like{place, place, {}};
  for (const std::string& key : path) {
    make_object(*at, *places, like);
    const std::size_t index = member_made(*at, *places, key, like);
    at = &(at->get_ref<Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(index))->second;
    places = &places->children[index];
  }
  places->value = place;
  places->children = places_like(value, place).children;
  *at = std::move(value);
  return {};
}

}  // namespace dflash
