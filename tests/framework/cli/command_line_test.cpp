// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

#include <gmock/gmock.h>

#include "framework/cli/application.h"
#include "framework/core/error.h"
#include "tests/support/example_application.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_plugins.h"

namespace dflash {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Printed {
  int code = -1;
  std::string out;
  std::string err;
  [[nodiscard]] Json last_object() const {
    const std::size_t begin = out.rfind('\n', out.size() - 2);
    return Json::parse(out.substr(begin == std::string::npos ? 0 : begin + 1));
  }
};

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() { std::ofstream{graph_} << kExampleGraph; }

  Printed run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "example-app");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
      pointers.push_back(argument.data());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Printed printed;
    printed.code = run_command_line(application_, static_cast<int>(pointers.size()), pointers.data());
    printed.out = testing::internal::GetCapturedStdout();
    printed.err = testing::internal::GetCapturedStderr();
    return printed;
  }

  TemporaryFolder folder_;
  std::string graph_ = (folder_.path() / "g.json").string();
  Application application_ = example_application();
};

TEST_F(CommandLineTest, ChecksAGraph) {
  const Printed checked = run({"check", graph_});
  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.out, graph_ + ": ok, 4 stages, 3 edges\n");
  EXPECT_THAT(checked.err, IsEmpty());
  EXPECT_THAT(run({"check", graph_, "--quiet"}).out, IsEmpty());
}

TEST_F(CommandLineTest, ChecksAGraphForPrograms) {
  const Json result = run({"check", graph_, "--json", "--swap", "data=dice"}).last_object();
  EXPECT_EQ(result.at("ok"), true);
  EXPECT_EQ(result.at("stages"), 4);
  EXPECT_EQ(result.at("edges"), 3);
  EXPECT_THAT(result.at("warnings").dump(), HasSubstr("has no path; dropped"));
}

TEST_F(CommandLineTest, TakesFilesWhoseNameIsNoUtf8) {
  const std::string graph = (folder_.path() / "g\xFF.json").string();
  std::filesystem::copy_file(graph_, graph);
  EXPECT_EQ(run({"check", graph, "--json"}).last_object().at("ok"), true);
}

TEST_F(CommandLineTest, EndsAWrongGraphWithTwoAndSaysWhere) {
  const Printed wrong = run({"check", graph_, "--set", "scale.mode=spilt", "--set", "run.stpes=4", "--json"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, AllOf(StartsWith("error: 2 mistakes:"), HasSubstr("--set scale.mode=spilt"),
                               HasSubstr("'split'?"), HasSubstr("'steps'?")));
  EXPECT_EQ(wrong.last_object().at("code"), 2);
  EXPECT_EQ(wrong.last_object().at("ok"), false);
}

TEST_F(CommandLineTest, ChecksWhatTheApplicationResolves) {
  const Printed wrong = run({"check", graph_, "--set", "models.target.path=missing"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err,
            "error: --set models.target.path=missing: /models/target/path: no such folder 'missing' (device cpu)\n");
  EXPECT_THAT(run({"check", graph_, "--set", "run.device=cuda:1"}).err,
              StartsWith("error: --set run.device=cuda:1: /run/device: device 'cuda:1' cannot be had here"));
  EXPECT_THAT(run({"check", graph_, "--set", "scale.device=cuda:2"}).err,
              StartsWith("error: --set scale.device=cuda:2: /stages/scale/device: device 'cuda:2' cannot be had here"));
}

TEST_F(CommandLineTest, TellsWhatTheApplicationWarnsOf) {
  struct WarningHooks : ExampleHooks {
    std::vector<std::string> warnings() const override { return {"a window that no layer has"}; }
  };
  application_.new_run = [] { return std::make_unique<WarningHooks>(); };
  EXPECT_EQ(run({"check", graph_}).err, "warning: a window that no layer has\n");
  const Printed strict = run({"check", graph_, "--strict"});
  EXPECT_EQ(strict.code, 2);
  EXPECT_EQ(strict.err, "error: " + graph_ + ": a window that no layer has\n");
}

TEST_F(CommandLineTest, RefusesAStageOnAnotherDeviceThanTheRun) {
  application_.resolve_device = [](const std::string& device) { return device; };
  for (const char* command : {"check", "run"}) {
    EXPECT_THAT(
        run({command, graph_, "--set", "scale.device=cuda:1"}).err,
        StartsWith("error: --set scale.device=cuda:1: /stages/scale/device: found \"cuda:1\", allowed: \"cpu\", "
                   "which the run computes on"));
  }
  EXPECT_EQ(run({"check", graph_, "--set", "scale.device=cuda:1", "--set", "run.device=cuda:1"}).code, 0);
}

TEST_F(CommandLineTest, RefusesADeviceForAStageOfTheHost) {
  application_.resolve_device = [](const std::string& device) { return device; };
  EXPECT_THAT(
      run({"check", graph_, "--set", "data.device=sim:0", "--set", "run.device=sim:0"}).err,
      HasSubstr("/stages/data/device: found \"sim:0\", allowed: \"cpu\", since stage type 'counter' works on the "
                "host"));
}

TEST_F(CommandLineTest, RefusesADelayOnADeviceWhereThereIsNone) {
  EXPECT_THAT(run({"check", graph_, "--set", "scale.inject.gpu_sleep_ms=1", "--set", "run.device=cpu"}).err,
              HasSubstr("/stages/scale/inject/gpu_sleep_ms: needs a run on a device: run.device = cuda:N or sim:N"));
  EXPECT_THAT(run({"check", graph_, "--set", "data.inject.gpu_sleep_ms=1"}).err,
              HasSubstr("/stages/data/inject/gpu_sleep_ms: stage type 'counter' works on the host"));
}

TEST_F(CommandLineTest, RunAndCheckTellWhatIsWrongInEveryPassAtOnce) {
  const std::filesystem::path run_dir = folder_.path() / "run";
  const std::vector<std::string> wrong{
      graph_,  "--set",           "data.limit=13", "--set", "models.target.path=missing", "--set", "run.device=cuda:1",
      "--set", "scale.mode=spilt"};
  for (const char* command : {"check", "run"}) {
    std::vector<std::string> arguments = wrong;
    arguments.insert(arguments.begin(), command);
    if (std::string{command} == "run") {
      arguments.insert(arguments.end(), {"--run-dir", run_dir.string()});
    }
    const Printed printed = run(arguments);
    EXPECT_EQ(printed.code, 2);
    EXPECT_THAT(printed.err,
                AllOf(StartsWith("error: 4 mistakes:"), HasSubstr("--set scale.mode=spilt: /stages/scale/params/mode:"),
                      HasSubstr("--set run.device=cuda:1: /run/device: device 'cuda:1' cannot be had"),
                      HasSubstr("--set models.target.path=missing: /models/target/path: no such folder"),
                      HasSubstr("--set data.limit=13: /stages/data/params/limit: found 13, allowed: a number")));
    EXPECT_FALSE(std::filesystem::exists(run_dir));
  }
}

TEST_F(CommandLineTest, LeavesOutWhatAStageWithAMistakeSaysOfItsDefaults) {
  EXPECT_THAT(run({"check", graph_, "--set", "data.limit=13", "--set", "data.rate=fast"}).err,
              AllOf(HasSubstr("/stages/data/params/rate"), Not(HasSubstr("good omen"))));
}

TEST_F(CommandLineTest, TakesRepeatedOptionsBeforeTheGraph) {
  const Printed checked = run({"check", "--set", "scale.taps=[1,2]", "--set", "run.steps=3", graph_});
  EXPECT_EQ(checked.code, 0) << checked.err;
}

TEST_F(CommandLineTest, NamesTheNearestCommandAndOption) {
  EXPECT_EQ(run({"chek", graph_}).err, "error: unknown command 'chek'; did you mean 'check'?\n");
  const Printed wrong = run({"check", graph_, "--overlai", "x"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean '--overlay'?"));
  EXPECT_EQ(run({"check"}).code, 2);
}

TEST_F(CommandLineTest, PrintsHelpAndVersion) {
  EXPECT_THAT(run({"--help"}).out, AllOf(HasSubstr("check"), HasSubstr("inspect"), HasSubstr("run")));
  EXPECT_EQ(run({}).code, 0);
  EXPECT_EQ(run({"--version"}).out, "example-app 1.2.3\n");
  EXPECT_THAT(run({"check", "--help"}).out, HasSubstr("--overlay"));
}

TEST_F(CommandLineTest, ListsStageTypesInGroups) {
  const std::string out = run({"list"}).out;
  EXPECT_THAT(out, HasSubstr("Sources: make items\n  counter  Counts up to a limit.\n  dice     Throws dice.\n"));
  EXPECT_THAT(out, HasSubstr("Sinks: take items\n  printer  Prints words.\n"));
  EXPECT_EQ(run({"list", "--json"}).last_object().at("types").at(0).dump(),
            R"({"type":"counter","role":"source","summary":"Counts up to a limit."})");
}

TEST_F(CommandLineTest, TakesStageTypesOfPluginsWhereverTypesAreNamed) {
  const std::string plugin = copied_plugin("example_plugin", folder_.path(), "good");
  EXPECT_THAT(run({"list", "--plugin", plugin}).out, HasSubstr("  doubler  Doubles numbers.  [" + plugin + "]\n"));
  const Json types = run({"list", "--json", "--plugin", plugin}).last_object().at("types");
  EXPECT_EQ(types.back(),
            Json({{"type", "doubler"}, {"role", "transform"}, {"summary", "Doubles numbers."}, {"plugin", plugin}}));
  EXPECT_FALSE(types.front().contains("plugin"));
  EXPECT_THAT(run({"inspect", "doubler", "--plugin", plugin}).out, HasSubstr("It comes from plugin '" + plugin + "'"));
  EXPECT_EQ(run({"inspect", "doubler", "--json", "--plugin", plugin}).last_object().at("plugin"), plugin);
  EXPECT_THAT(run({"schema", "--plugin", plugin}).out, HasSubstr("what to multiply with"));
  const std::vector<std::string> swapped{"--plugin", plugin, graph_, "--swap", "scale=doubler"};
  for (const char* command : {"check", "graph"}) {
    std::vector<std::string> arguments = swapped;
    arguments.insert(arguments.begin(), command);
    EXPECT_EQ(run(arguments).code, 0) << command;
  }
}

TEST_F(CommandLineTest, RunsStagesOfPluginsAndWritesDownWhichBuildTheyAreOf) {
  const std::string plugin = copied_plugin("example_plugin", folder_.path(), "good");
  const std::filesystem::path run_dir = folder_.path() / "run";
  const Printed ran =
      run({"run", graph_, "--plugin", plugin, "--swap", "scale=doubler", "--run-dir", run_dir.string()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* place : {"/plugins", "/provenance/plugins"}) {
    std::ifstream file{run_dir / (place == std::string{"/plugins"} ? "resolved.json" : "report.json")};
    const Json plugins = Json::parse(file).at(Json::json_pointer{place});
    EXPECT_EQ(plugins.at(plugin).at("version"), "1.5");
    EXPECT_EQ(plugins.at(plugin).at("types"), Json::array({"doubler"}));
  }
}

TEST_F(CommandLineTest, EndsAPluginThatIsNoneWithTwo) {
  const Printed wrong = run({"list", "--plugin", copied_plugin("no_plugin", folder_.path(), "no"), "--json"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("no.so': a shared library, but no plugin"));
  EXPECT_EQ(wrong.last_object().at("code"), 2);
}

TEST_F(CommandLineTest, SaysWhatAStageTypeOfAPluginNeeds) {
  EXPECT_THAT(
      run({"check", graph_, "--swap", "scale=quadratic_form"}).err,
      AllOf(StartsWith("error: --swap scale=quadratic_form: unknown stage type 'quadratic_form'; known: counter"),
            HasSubstr("; those of a plugin need --plugin FILE")));
}

TEST_F(CommandLineTest, InspectsAStageType) {
  const std::string out = run({"inspect", "scaler"}).out;
  EXPECT_THAT(out, AllOf(StartsWith("scaler (transform): Scales numbers.\n"),
                         HasSubstr("  port    name  items   what\n  input   in    number  numbers\n"
                                   "  output  out   number  scaled numbers\n"),
                         HasSubstr("  mode: one of split | concat; default \"concat\"\n      how\n"),
                         HasSubstr("  loss.gamma: integer, at least 1; default 4\n")));
  EXPECT_THAT(out, HasSubstr("  throw_at: integer, at least 0; default 0\n"));
  EXPECT_THAT(run({"inspect", "counter"}).out,
              HasSubstr("limit: integer from 1 to 100; default 10 numbers\n      where to end\n"));
  EXPECT_THAT(out, HasSubstr("Not in this version: \"devices\".\n"));
  EXPECT_THAT(run({"inspect", "reader"}).out, HasSubstr("  file.path: string, not empty; required\n"));
  const Json described = run({"inspect", "counter", "--json"}).last_object();
  EXPECT_EQ(described.at("params").at(0).at("schema").at("maximum"), 100);
  EXPECT_EQ(described.at("outputs").at(0).at("type"), "number");
  const Printed wrong = run({"inspect", "scalar"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err, "error: unknown stage type 'scalar'; did you mean 'scaler'?\n");
}

TEST_F(CommandLineTest, DrawsAGraph) {
  EXPECT_THAT(run({"graph", graph_}).out,
              HasSubstr("scale (scaler)\n  out -> spell.in   number, at most 8 items, 2 KiB waiting\n"));
  EXPECT_THAT(run({"graph", graph_, "--format", "dot"}).out,
              AllOf(StartsWith("digraph \"example\" {"), HasSubstr("s0 [label=\"data\\ncounter\"];"),
                    HasSubstr("s1 -> s2 [label=\"number (8 items, 2 KiB)\"];")));
  EXPECT_THAT(run({"graph", graph_, "--format", "mermaid"}).out,
              AllOf(StartsWith("flowchart TB\n"), HasSubstr("s2 -->|\"word (4 items)\"| s3")));
  EXPECT_EQ(run({"graph", graph_, "--json"}).last_object().at("edges").at(1).at("capacity_bytes"), 2048);
  EXPECT_EQ(run({"graph", graph_, "--format", "dto"}).err, "error: unknown format 'dto'; did you mean 'dot'?\n");
}

TEST_F(CommandLineTest, DrawsSvgThroughGraphvizOrSaysThatItIsMissing) {
  const Printed drawn = run({"graph", graph_, "--format", "svg"});
  EXPECT_THAT(drawn.code == 0 ? drawn.out : drawn.err, AnyOf(HasSubstr("<svg"), HasSubstr("which is not installed")));
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const Printed missing = run({"graph", graph_, "--format", "svg"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("Graphviz's program 'dot', which is not installed"));
}

TEST_F(CommandLineTest, WritesADrawingIntoAFile) {
  const std::filesystem::path file = folder_.path() / "g.mmd";
  EXPECT_THAT(run({"graph", graph_, "--format", "mermaid", "--output", file.string()}).out, IsEmpty());
  EXPECT_GT(std::filesystem::file_size(file), 50U);
  const Printed refused = run({"graph", graph_, "--output", "/nowhere/at/all"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("cannot write '/nowhere/at/all': No such file or directory"));
}

TEST_F(CommandLineTest, PrintsASchemaOfTheDeclarations) {
  const Json schema = Json::parse(run({"schema"}).out);
  EXPECT_EQ(schema.at("additionalProperties"), false);
  const Json& scaler = schema.at("properties").at("stages").at("additionalProperties").at("oneOf").at(2);
  EXPECT_EQ(scaler.at("properties").at("type").at("const"), "scaler");
  const Json& loss = scaler.at("properties").at("params").at("properties").at("loss");
  EXPECT_EQ(loss.at("properties").at("gamma").at("anyOf").at(0).at("minimum"), 1);
  EXPECT_TRUE(schema.at("properties").at("models").at("properties").contains("drafter"));
  const Json& reader = schema.at("properties").at("stages").at("additionalProperties").at("oneOf").at(6);
  EXPECT_EQ(reader.at("required"), (Json{"type", "params"}));
  EXPECT_EQ(reader.at("properties").at("params").at("properties").at("file").at("required"), Json{"path"});
}

TEST_F(CommandLineTest, RunsACommandOfTheApplication) {
  std::vector<std::pair<std::string, std::string>> seen;
  application_.commands.push_back({.name = "export",
                                   .help = "Writes a model.",
                                   .positionals = {{"run", "run"}, {"dir", "folder"}},
                                   .options = {{"--format", "zlab"}, {"--verifier", "path"}},
                                   .run = [&](const auto& values, const CommandOutput& output) {
                                     seen = values;
                                     return (output.json ? 1 : 0) + (output.quiet ? 2 : 0);
                                   }});
  EXPECT_EQ(run({"export", "a", "b", "--json"}).code, 1);
  EXPECT_EQ(run({"export", "a", "b", "--quiet"}).code, 2);
  EXPECT_EQ(run({"export", "a", "b", "--format", "zlab"}).code, 0);
  EXPECT_THAT(seen, ElementsAre(std::pair{"run", "a"}, std::pair{"dir", "b"}, std::pair{"format", "zlab"}));
}

TEST_F(CommandLineTest, TakesARepeatableOptionOfACommandEachTime) {
  CommandValues seen;
  application_.commands.push_back({.name = "guess",
                                   .help = "Guesses.",
                                   .positionals = {{"run", "run"}},
                                   .options = {{"--if", "what", true}, {"--once", "what"}},
                                   .run = [&](const auto& values, const CommandOutput&) {
                                     seen = values;
                                     return 0;
                                   }});
  EXPECT_EQ(run({"guess", "--if", "a=1", "--if", "b=2", "dir"}).code, 0);
  EXPECT_THAT(seen, ElementsAre(std::pair{"run", "dir"}, std::pair{"if", "a=1"}, std::pair{"if", "b=2"}));
  EXPECT_EQ(run({"guess", "dir", "--once", "a", "--once", "b"}).code, 2);
  EXPECT_EQ(run({"guess", "dir", "other"}).code, 2);
}

TEST_F(CommandLineTest, HasTheCommandsThatLookAtRuns) {
  for (const char* command : {"whatif", "tune"}) {
    const Printed refused = run({command, folder_.path().string()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("is not a run directory (it has no resolved.json)"));
  }
}

TEST_F(CommandLineTest, MapsErrorsToExitCodes) {
  const auto code = [&](const std::function<void()>& fails) {
    application_.commands = {
        {.name = "fail", .help = "", .positionals = {}, .options = {}, .run = [&](const auto&, const auto&) {
           fails();
           return 0;
         }}};
    return run({"fail"}).code;
  };
  EXPECT_EQ(code([] { throw UserError{"x"}; }), 2);
  EXPECT_EQ(code([] { throw StageError{"data", "open", 0, "x", true}; }), 2);
  EXPECT_EQ(code([] { throw StageError{"data", "fire", 3, "x", false}; }), 1);
  EXPECT_EQ(code([] { throw InternalError{"x"}; }), 1);
  EXPECT_EQ(code([] { throw std::runtime_error{"x"}; }), 1);
}

TEST_F(CommandLineTest, SaysWhatTheSystemHasAgainstAFolder) {
  const std::string link = (folder_.path() / "link").string();
  std::filesystem::create_symlink("link", link);
  const Printed refused = run({"run", graph_, "--run-dir", link});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, "error: '" + link + "': Too many levels of symbolic links\n");
}

}  // namespace
}  // namespace dflash
