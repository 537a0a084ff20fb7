// SPDX-License-Identifier: Apache-2.0
// Mistakes in graph files, as a user meets them: by the commands `check` and `run`.
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "framework/cli/application.h"
#include "tests/support/example_application.h"
#include "tests/support/graph_reading.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Told {
  int code = -1;
  std::string out;
  std::string err;
};

/// Gives one text to the program's commands.
class ValidationTest : public GraphReadingTest {
 protected:
  Told tell(const std::string& command, std::string_view text, const std::vector<std::string>& more = {}) {
    const std::string graph = (folder_.path() / "g.json").string();
    std::ofstream{graph} << text;
    std::vector<std::string> arguments{"example-app", command, graph};
    if (command == "run") {
      arguments.insert(arguments.end(), {"--run-dir", run_dir().string()});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
      pointers.push_back(argument.data());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Told told;
    told.code = run_command_line(application_, static_cast<int>(pointers.size()), pointers.data());
    told.out = testing::internal::GetCapturedStdout();
    told.err = testing::internal::GetCapturedStderr();
    return told;
  }
  [[nodiscard]] std::filesystem::path run_dir() const { return folder_.path() / "run"; }

  Application application_ = example_application();
};

using D2 = ValidationTest;

TEST_F(D2, AMisspeltKeyEndsCheckAndRunWithItsPlaceAndTheNearestName) {
  std::string text = replaced(std::string{kExampleGraph}, "\"mode\": \"split\"", "\"mdoe\": \"split\"");
  text = replaced(text, "\"capacity\": { \"items\": 8", "\"capactiy\": { \"items\": 8");
  text = replaced(text, "\"seed\": 7", "\"order_sed\": 7");
  for (const char* command : {"check", "run"}) {
    const Told told = tell(command, text);
    EXPECT_EQ(told.code, 2);
    EXPECT_THAT(told.err, AllOf(HasSubstr("3 mistakes:"),
                                HasSubstr("g.json:9:46: /stages/scale/params: unknown parameter of stage type "
                                          "'scaler': 'mdoe'; did you mean 'mode'?"),
                                HasSubstr("g.json:15:46: /edges/1: unknown key 'capactiy'; did you mean 'capacity'?"),
                                HasSubstr("g.json:18:42: /run: unknown parameter of the section run: 'order_sed'; did "
                                          "you mean 'order_seed'?")));
    EXPECT_FALSE(std::filesystem::exists(run_dir()));
  }
}

using D22 = ValidationTest;

TEST_F(D22, ACountThatIsNoneIsRefusedWithItsRangeAndNeverMeansUnlimited) {
  for (const char* items : {"0", "-1", "1e30", "\"8\"", "2.5", "null", "99999999999999999999"}) {
    const std::string told = error_with("\"items\": 8", fmt::format("\"items\": {}", items));
    EXPECT_THAT(told, AllOf(StartsWith("g.json:15:69: /edges/1/capacity/items: found "),
                            HasSubstr(", allowed: integer, at least 1")))
        << items;
  }
  for (const char* replicas : {"0", "-1", "1025", "1e30", "\"8\"", "2.5"}) {
    EXPECT_THAT(error_with(R"("type": "scaler")", fmt::format(R"("type": "scaler", "replicas": {})", replicas)),
                AllOf(StartsWith("g.json:9:"), HasSubstr("/stages/scale/replicas: found "), HasSubstr(", allowed: ")))
        << replicas;
  }
}

TEST_F(D22, SoAreBytesStepsAndParameters) {
  EXPECT_EQ(error_with("\"2KiB\"", "\"2KB\""),
            "g.json:15:81: /edges/1/capacity/bytes: found \"2KB\", allowed: bytes as an integer, at least 1, or a text "
            "as \"512MiB\" or \"2GiB\"");
  EXPECT_EQ(error_with("\"steps\": 30", "\"steps\": -1"),
            "g.json:18:38: /run/steps: found -1, allowed: integer, at least 0");
  EXPECT_THAT(error_with("\"limit\": \"${limit}\"", "\"limit\": 101"),
              HasSubstr("/stages/data/params/limit: found 101, allowed: integer from 1 to 100"));
}

using D23 = ValidationTest;

constexpr std::string_view kManyMistakes = R"({
  "schema": "dflash-graph/1",
  "name": "wrong",
  "stages": {
    "data":  { "type": "counter" },
    "data":  { "type": "dice" },
    "scale": { "type": "scaler" },
    "loop":  { "type": "adder" },
    "alone": { "type": "scaler" },
    "spell": { "type": "speller" },
    "print": { "type": "printer" }
  },
  "edges": [
    "data.numbers -> scale.in",
    "data.numbers -> scale.in",
    "data.numbers -> loop.left",
    "loop.out -> loop.right",
    "scale.uot -> spell.in",
    "scale.out -> print.words",
    "spell.words -> print.words"
  ],
  "run": {}
}
)";

TEST_F(D23, OnePassNamesEveryMistakeOfTheStructure) {
  EXPECT_EQ(error(kManyMistakes),
            "7 mistakes:\n"
            "  g.json:6:5: key 'data' appears twice; first at 5:5\n"
            "  g.json:15:5: /edges/1: input 'scale.in' has an edge already, at g.json:14:5; each input takes one\n"
            "  g.json:18:5: /edges/4: unknown output of stage 'scale' (type 'scaler'): 'uot'; did you mean 'out'?\n"
            "  g.json:19:5: /edges/5: output 'scale.out' gives 'number', but input 'print.words' takes 'word'\n"
            "  g.json:20:5: /edges/6: input 'print.words' has an edge already, at g.json:19:5; each input takes one\n"
            "  g.json:9:5: /stages/alone: input 'alone.in' ('number') has no edge; each input needs exactly one\n"
            "  g.json:4:3: the edges 'loop.out->loop.right' form a cycle; items must flow one way, but for an edge "
            "with feedback true");
}

using D24 = ValidationTest;

TEST_F(D24, AnOutputThatNobodyTakesIsAWarningByName) {
  const std::string text =
      replaced(std::string{kExampleGraph}, R"("print": {)", R"("more": { "type": "dice" }, "print": {)");
  const Told told = tell("check", text);
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.err, "warning: output 'more.numbers' (number) has no edge; its items are dropped\n");
}

TEST_F(D24, AndAnErrorWhereTheUserIsStrict) {
  const std::string text =
      replaced(std::string{kExampleGraph}, R"("print": {)", R"("more": { "type": "dice" }, "print": {)");
  const Told told = tell("check", text, {"--strict"});
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, AllOf(StartsWith("error: "), HasSubstr("output 'more.numbers' (number) has no edge")));
  EXPECT_THAT(told.out, IsEmpty());
  EXPECT_EQ(tell("check", kExampleGraph, {"--strict"}).code, 0);
}

/// Takes five numbers, gives one.
struct WideAdder final : Stage {
  static StageInfo info() { return {.type = "wide_adder", .summary = "Adds five numbers."}; }
  Input<ExampleNumber> a{*this, "a", ""};
  Input<ExampleNumber> b{*this, "b", ""};
  Input<ExampleNumber> c{*this, "c", ""};
  Input<ExampleNumber> d{*this, "d", ""};
  Input<ExampleNumber> e{*this, "e", ""};
  Output<ExampleNumber> out{*this, "out", ""};
  void fire(Firing&) override {}
};

constexpr int kWideStages = 1000;

/// A source, and a thousand stages that each take from the five before. What stands in `rules` stands in each edge;
/// the first stage's edges come from `first` instead of the source.
std::string large_graph(const std::string& rules = "", const std::string& first = "n0.numbers") {
  std::string text = R"({"schema": "dflash-graph/1", "name": "large", "stages": {"n0": {"type": "counter"})";
  for (int i = 1; i <= kWideStages; ++i) {
    text += fmt::format(",\n\"n{}\": {{\"type\": \"wide_adder\"}}", i);
  }
  text += "},\n\"edges\": [";
  for (int i = 1; i <= kWideStages; ++i) {
    for (int back = 1; back <= 5; ++back) {
      const int from = std::max(i - back, 0);
      const std::string output = i == 1 ? first : fmt::format("n{}.{}", from, from == 0 ? "numbers" : "out");
      text += fmt::format("{}{{\"from\": \"{}\", \"to\": \"n{}.{}\"{}}}", i == 1 && back == 1 ? "" : ",\n", output, i,
                          static_cast<char>('a' + back - 1), rules);
    }
  }
  return text + "]}";
}

class D26 : public ValidationTest {
 protected:
  D26() { application_.catalog.add<WideAdder>(); }
};

TEST_F(D26, AThousandStagesAndFiveThousandEdgesAreChecked) {
  const Told told = tell("check", large_graph());
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("ok, 1001 stages, 5000 edges"));
}

TEST_F(D26, WhereEveryEdgeIsWrongTheFirstAreNamed) {
  for (const char* rules : {R"(, "when_full": "drop_newest")", R"(, "feedback": true, "initial": 1)",
                            R"(, "feedback": true)", R"(, "capacity": 0)", R"(, "capactiy": 1)"}) {
    const Told told = tell("check", large_graph(rules));
    EXPECT_EQ(told.code, 2) << rules;
    EXPECT_THAT(told.err, StartsWith("error: 50 mistakes, or more:\n")) << rules;
  }
}

TEST_F(D26, AGraphThatIsOneCycleIsRefusedByItsEdges) {
  const Told told = tell("check", large_graph("", fmt::format("n{}.out", kWideStages)));
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, AllOf(HasSubstr("'n1.out->n2.a'"), HasSubstr(" more form a cycle")));
}

/// A text many times, with a number in its middle.
std::string numbered(const std::string& before, const std::string& after, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += before;
    text += std::to_string(i);
    text += after;
  }
  return text;
}

/// The example with one of its parts replaced by something large.
std::string example_with(std::string_view part, const std::string& large) {
  return replaced(std::string{kExampleGraph}, part, large);
}

TEST_F(D26, VariablesDoNotGrowWithoutBound) {
  const std::string edge = "\"data.numbers -> scale.in\"";
  const std::string uses = numbered("\"${big}\", // ", "\n", 100) + edge;
  std::string text = replaced(
      example_with("\"limit\": 20", "\"limit\": 20, \"big\": \"" + std::string(1'000'000, 'x') + "\""), edge, uses);
  EXPECT_THAT(tell("check", text).err,
              HasSubstr("/edges/16: the graph grows by more than 16777216 bytes by its variables"));
  text = example_with("\"limit\": 20", "\"limit\": 20, " + numbered("\"v", "\": \"a.b\",\n", 9'000) + "\"last\": 1");
  EXPECT_THAT(tell("check", replaced(text, edge, numbered("\"${v", "}\",\n", 9'000) + edge)).err,
              HasSubstr("/edges/0: found \"a.b\""));
  EXPECT_THAT(tell("check", replaced(text, edge, numbered("\"${u", "}\",\n", 9'000) + edge)).err,
              HasSubstr("/edges/0: unknown variable 'u0'"));
}

TEST_F(D26, AHostileFileIsRefusedForWhatItIs) {
  const std::string ten_megabytes(10'000'000, 'x');
  const std::vector<std::pair<std::string, std::string>> hostile{
      {std::string(10'000'000, '['), "nested deeper than 64 levels"},
      {numbered("{\"a", "\":", 1'000'000), "nested deeper than 64 levels"},
      {ten_megabytes, "not JSON"},
      {"\"" + ten_megabytes + "\"", "allowed: an object"},
      {std::string(10'000'000, ' '), "unexpected end of input"},
      {numbered("/* ", " */", 900'000), "unexpected end of input"},
      {"[" + numbered("", ",", 1'000'000) + "0]", "more than 250000 values"},
      {std::string(17'000'000, '{'), "at most 16777216 bytes"},
      {example_with("\"name\": \"example\"", "\"" + ten_megabytes + "\": 1"), "unknown key 'xxx"},
      {example_with("\"name\": \"example\"", "\"name\": \"/" + ten_megabytes + "\""), "/name: found \"/xxx"},
      {example_with("\"speller\"", "\"" + ten_megabytes + "\""), "unknown stage type 'xxx"},
      {example_with("data.numbers -> scale.in", ten_megabytes), "/edges/0: found \"xxx"},
      {example_with("data.numbers -> scale.in", ten_megabytes + ".a -> b.c"), "/edges/0: unknown stage 'xxx"},
      {example_with("\"print\": {", numbered("\"s", "\": { \"type\": \"x\" },\n", 9'000) + "\"print\": {"),
       "unknown stage type 'x'"},
      {example_with("\"print\": {", numbered("\"s", "\": 1,\n", 9'000) + "\"print\": {"), "50 mistakes, or more"},
      {example_with("\"mode\": \"split\"", numbered("\"k", "\": 1,\n", 9'000) + "\"mode\": \"split\""),
       "unknown parameter"},
      {example_with("\"data.numbers -> scale.in\"", numbered("\"a", ".b -> c.d\",\n", 200'000) + "\"a.b -> c.d\""),
       "unknown stage 'a0'"},
      {example_with("\"print\": {", numbered("\"s", "\": 1,\n", 200'000) + "\"print\": {"),
       "an object of more than 10000 keys"},
      {example_with("\"limit\": 20", numbered("\"v", "\": \"${v}\",\n", 9'000) + "\"limit\": 20"), "/vars/v0"}};
  for (const auto& [text, what] : hostile) {
    const Told told = tell("check", text);
    EXPECT_EQ(told.code, 2) << what;
    EXPECT_THAT(told.err, AllOf(StartsWith("error: "), HasSubstr(what)));
    EXPECT_LT(told.err.size(), 200'000U) << what;
  }
}

}  // namespace
}  // namespace dflash
