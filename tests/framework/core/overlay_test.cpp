// SPDX-License-Identifier: Apache-2.0
#include "framework/core/overlay.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/support/all_placed.h"
#include "tests/support/any_json.h"
#include "tests/support/graph_reading.h"

namespace dflash {
namespace {

using testing::HasSubstr;

using OverlayTest = GraphReadingTest;

TEST_F(OverlayTest, MergesOverlaysByKeyAndKeepsTheirPlaces) {
  const auto path = overlay(
      "{\n \"run\": { \"steps\": 5, \"evaluate\": null },\n \"stages\": { \"scale\": { \"params\": { \"loss\": { "
      "\"type\": \"kl\" } } } }\n}");
  const GraphFile file = read(kExampleGraph, {.overlays = {path}});
  EXPECT_EQ(file.run.steps, 5);
  EXPECT_EQ(file.run.seed, 7U);
  EXPECT_FALSE(file.run.evaluate);
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").loss_type(), "kl");
  EXPECT_EQ(stage<ExampleScaler>(file, "scale").loss_gamma(), 7);
  EXPECT_EQ(error(kExampleGraph, {.overlays = {overlay("{\n \"run\": {\n  \"stepps\": 5 } }")}}),
            "o.json:3:3: /run: unknown parameter of the section run: 'stepps'; did you mean 'steps'?");
  EXPECT_THAT(error(kExampleGraph, {.overlays = {overlay("[]")}}),
              HasSubstr("o.json:1:1: found [], allowed: an object"));
}

TEST_F(OverlayTest, AMisspeltStageIsNoNewOne) {
  EXPECT_EQ(error(kExampleGraph, {.overlays = {overlay("{\n \"stages\": {\n  \"scael\": { \"params\": {} } } }")}}),
            "o.json:3:3: /stages/scael: unknown stage 'scael'; did you mean 'scale'? A new stage needs the key 'type'");
  EXPECT_THAT(error(kExampleGraph, {.overlays = {overlay("{\n \"stages\": {\n  \"filter\": {} } }")}}),
              HasSubstr("o.json:3:13: /stages/filter: the key 'type' is missing"));
}

// The values are those of RFC 7396, and each still has its place.
RC_GTEST_PROP(Overlay, MergesAnyTwoDocumentsAsTheLibraryDoes, ()) {
  Diagnostics none;
  const Json base = mutated(Json::parse(kExampleGraph, nullptr, true, true));
  JsonText document = parse_json_text(base.dump(), "g.json", none).value();
  const JsonText overlay = parse_json_text(mutated(base).dump(), "o.json", none).value();
  Json expected = base;
  expected.merge_patch(overlay.value);
  merge_overlay(document, overlay);
  RC_ASSERT(document.value == expected);
  RC_ASSERT(all_placed(document.value, document.places));
}

TEST(Overlay, IsFoundBetweenTwoDocuments) {
  const auto parsed = [](const char* text) { return Json::parse(text); };
  EXPECT_EQ(overlay_between(parsed(R"({"a": {"b": 1, "c": 2}, "d": [1, 2], "e": 5})"),
                            parsed(R"({"a": {"b": 1, "c": 3}, "d": [1], "f": {"g": 1}})")),
            parsed(R"({"e": null, "a": {"c": 3}, "d": [1], "f": {"g": 1}})"));
  EXPECT_EQ(overlay_between(parsed(R"({"a": 1})"), parsed(R"({"a": 1})")), Json::object());
}

// Objects are equal whatever the order of their keys.
RC_GTEST_PROP(Overlay, BetweenTwoDocumentsMakesOneOfTheOther, ()) {
  const Json base = Json::parse(kExampleGraph, nullptr, true, true);
  const Json from = mutated(base);
  const nlohmann::json to = nlohmann::json(mutated(base));
  Json merged = from;
  merged.merge_patch(overlay_between(from, Json(to)));
  nlohmann::json expected = nlohmann::json::object();
  expected.merge_patch(to);  // without what is null
  nlohmann::json found = nlohmann::json::object();
  found.merge_patch(nlohmann::json(merged));
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace dflash
