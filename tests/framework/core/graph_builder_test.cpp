// SPDX-License-Identifier: Apache-2.0
#include "framework/core/graph_builder.h"

#include <gmock/gmock.h>

#include "tests/support/graph_reading.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using GraphBuilderTest = GraphReadingTest;

TEST_F(GraphBuilderTest, NamesTheNearestStageKeyParameterTypeAndPort) {
  EXPECT_EQ(error_with(R"("type": "counter", "params")", R"("type": "counter", "prams")"),
            "g.json:8:35: /stages/data: unknown key 'prams'; did you mean 'params'?");
  EXPECT_EQ(
      error_with("\"mode\": \"split\"", "\"mdoe\": \"split\""),
      "g.json:9:46: /stages/scale/params: unknown parameter of stage type 'scaler': 'mdoe'; did you mean 'mode'?");
  EXPECT_EQ(error_with("\"mode\": \"split\"", "\"mode\": \"spilt\""),
            "g.json:9:54: /stages/scale/params/mode: found \"spilt\", allowed: split | concat; did you mean 'split'?");
  EXPECT_EQ(error_with("\"speller\"", "\"speler\""),
            "g.json:10:24: /stages/spell/type: unknown stage type 'speler'; did you mean 'speller'?");
  EXPECT_EQ(
      error_with("data.numbers ->", "data.number ->"),
      "g.json:14:5: /edges/0: unknown output of stage 'data' (type 'counter'): 'number'; did you mean 'numbers'?");
  EXPECT_EQ(error_with("-> print.words", "-> print.word"),
            "g.json:16:5: /edges/2: unknown input of stage 'print' (type 'printer'): 'word'; did you mean 'words'?");
  EXPECT_EQ(error_with("-> print.words", "-> pint.words"),
            "2 mistakes:\n  g.json:16:5: /edges/2: unknown stage 'pint'; did you mean 'print'?\n"
            "  g.json:11:5: /stages/print: input 'print.words' ('word') has no edge; each input needs exactly one");
}

TEST_F(GraphBuilderTest, NamesARequiredParameterThatIsMissing) {
  EXPECT_EQ(error_with("{ \"type\": \"counter\", \"params\"", "{ \"type\": \"reader\", \"parms\""),
            "2 mistakes:\n  g.json:8:34: /stages/data: unknown key 'parms'; did you mean 'params'?\n"
            "  g.json:8:14: /stages/data: the parameter 'file.path' is missing: a file of numbers");
  EXPECT_EQ(error(kExampleGraph, {.swaps = {"data=reader"}}),
            "g.json:8:45: /stages/data/params: the parameter 'file.path' is missing: a file of numbers");
  EXPECT_EQ(error(kExampleGraph, {.swaps = {"data=reader"}, .sets = {"data.file.path=x"}}), "");
}

TEST_F(GraphBuilderTest, LeadsToANestedParameter) {
  EXPECT_EQ(error_with(R"("loss": { "gamma": 7 })", R"("gamma": 7)"),
            "g.json:9:63: /stages/scale/params: unknown parameter 'gamma' of stage type 'scaler'; did you mean "
            "'loss.gamma', nested?");
  EXPECT_THAT(error_with(R"("loss": { "gamma": 7 })", R"("loss": 7)"),
              HasSubstr("found 7, allowed: an object with the keys type, gamma"));
  EXPECT_THAT(error_with(R"("loss": { "gamma": 7 })", R"("loss.gamma": 7)"),
              HasSubstr("did you mean 'loss.gamma', nested?"));
}

TEST_F(GraphBuilderTest, RefusesACapacityInBytesOfItemsThatDoNotSayTheirBytes) {
  EXPECT_THAT(error_with("\"spell.words  -> print.words\"",
                         R"({"from": "spell.words", "to": "print.words", "capacity": {"bytes": 9}})"),
              HasSubstr("items of type 'word' do not say their bytes"));
}

TEST_F(GraphBuilderTest, NamesTheEdgesOfACycle) {
  const std::string text = replaced(std::string{kExampleGraph}, R"("data.numbers -> scale.in")",
                                    R"("data.numbers -> add.left", "add.out -> scale.in", "scale.out -> add.right")");
  EXPECT_THAT(error(replaced(text, R"("print": {)", R"("add": { "type": "adder" }, "print": {)")),
              AllOf(HasSubstr("g.json:7:3: "), HasSubstr("'add.out->scale.in', 'scale.out->add.right' form a cycle")));
}

TEST_F(GraphBuilderTest, RefusesTwoStagesThatDriveSteps) {
  EXPECT_THAT(
      error_with("\"spell.words  -> print.words\"", R"("spell.words  -> print.words", "scale.out -> again.in")"),
      HasSubstr("unknown stage 'again'"));
  const std::string text =
      replaced(std::string{kExampleGraph}, R"("print": {)", R"("again": { "type": "speller" }, "print": {)");
  EXPECT_THAT(error(replaced(text, "\"spell.words  ->", "\"scale.out -> again.in\", \"spell.words  ->")),
              HasSubstr("drive steps"));
}

TEST_F(GraphBuilderTest, PutsAStageOnALaneByName) {
  EXPECT_EQ(error_with("{ \"type\": \"speller\" }", R"({ "type": "speller", "lane": "letters" })"), "");
  EXPECT_THAT(error_with("{ \"type\": \"speller\" }", R"({ "type": "speller", "lane": 3 })"),
              HasSubstr("/stages/spell/lane: found 3, allowed: letters, digits, '_' and '-'"));
}

TEST_F(GraphBuilderTest, RefusesByNameWhatThisVersionCannotDo) {
  EXPECT_EQ(error_with("{ \"type\": \"speller\" }", R"({ "type": "speller", "devices": {} })"),
            "g.json:10:35: /stages/spell/devices: 'devices' is not supported in this version");
  EXPECT_THAT(error_with("\"vars\":", "\"lanes\": {}, \"vars\":"),
              HasSubstr("'lanes' is not supported in this version"));
  EXPECT_THAT(error_with("{ \"type\": \"speller\" }", R"({ "type": "speller", "replicas": 2 })"),
              HasSubstr("/replicas: found 2, allowed: 1, since stage type 'speller' keeps something between firings"));
  EXPECT_EQ(error_with("{ \"type\": \"speller\" }", R"({ "type": "speller", "replicas": 1 })"), "");
}

TEST_F(GraphBuilderTest, ReadsWhatIsPlantedIntoAStage) {
  const std::string text = replaced(std::string{kExampleGraph}, R"({ "type": "speller" })",
                                    R"({ "type": "speller", "inject": { "sleep_ms": 2.5, "throw_at": 7 } })");
  EXPECT_EQ(error(text), "");
}

TEST_F(GraphBuilderTest, RefusesWhatCannotBePlanted) {
  EXPECT_THAT(error_with(R"({ "type": "speller" })", R"({ "type": "speller", "inject": { "trow_at": 7 } })"),
              AllOf(HasSubstr("/stages/spell/inject: "), HasSubstr("throw_at")));
  EXPECT_THAT(error_with(R"({ "type": "speller" })", R"({ "type": "speller", "inject": { "sleep_ms": -1 } })"),
              HasSubstr("/stages/spell/inject/sleep_ms: found -1"));
  EXPECT_THAT(error_with(R"({ "type": "speller" })", R"({ "type": "speller", "inject": 7 })"),
              HasSubstr("/stages/spell/inject: found 7"));
  EXPECT_THAT(error_with(R"({ "type": "speller" })", R"({ "type": "speller", "inject": { "nan_at": 3 } })"),
              HasSubstr("output 'words' gives 'word', which holds nothing that could be NaN"));
}

}  // namespace
}  // namespace dflash
