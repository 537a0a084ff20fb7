// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <functional>
#include <list>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "framework/cli/application.h"
#include "framework/cli/check_command.h"
#include "framework/cli/compare_command.h"
#include "framework/cli/graph_command.h"
#include "framework/cli/inspect_command.h"
#include "framework/cli/list_command.h"
#include "framework/cli/misspelt_names.h"
#include "framework/cli/plugin_library.h"
#include "framework/cli/printing.h"
#include "framework/cli/replay_command.h"
#include "framework/cli/report_command.h"
#include "framework/cli/run_command.h"
#include "framework/cli/run_options.h"
#include "framework/cli/schema_command.h"
#include "framework/cli/sweep_command.h"
#include "framework/cli/tune_command.h"
#include "framework/cli/whatif_command.h"
#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/core/json_syntax.h"

namespace dflash {
namespace {

// The commands as CLI11 has them, and the values that it fills.
class CommandLine {
 public:
  CommandLine(const Application& application, int argc, char** argv)
      : application_{application},
        arguments_{argv, argv + argc},
        app_{application.name + ": trains by a graph of stages"} {
    app_.name(application.name);
    app_.set_version_flag("--version", application.name + " " + application.version);
    app_.require_subcommand(1);
    add_run();
    add_replay();
    add_check();
    add_graph();
    add_report();
    add_catalog_commands();
    add_sweep();
    for (const std::vector<Command>* commands : {&run_commands_, &std::as_const(application_).commands}) {
      for (const Command& command : *commands) {
        add_command(command);
      }
    }
  }

  int run() {
    if (arguments_.size() < 2) {
      arguments_ = {application_.name, "--help"};
    }
    check_command_name(app_, arguments_[1]);
    try {
      app_.parse(static_cast<int>(arguments_.size()), pointers().data());
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {
        return app_.exit(error);
      }
      throw UserError{fmt::format("{}{}", error.what(), option_suggestion(app_, arguments_))};
    }
    load_plugins(plugins_, application_);
    return chosen_();
  }

  [[nodiscard]] bool json() const {
    return json_ || std::find(arguments_.begin(), arguments_.end(), "--json") != arguments_.end();
  }

 private:
  using Texts = std::vector<std::string>;
  using Values = std::list<std::pair<std::string, Texts>>;  // CLI11 keeps references into it

  std::vector<char*> pointers() {
    std::vector<char*> pointers;
    pointers.reserve(arguments_.size());
    for (std::string& argument : arguments_) {
      pointers.push_back(argument.data());
    }
    return pointers;
  }

  CLI::App* add(const std::string& name, const std::string& help, std::function<int()> action) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->add_flag("--json", json_, "one JSON object as the last line of standard output");
    command->add_flag("--quiet", run_.quiet, "print errors only");
    command->callback([this, action = std::move(action)] { chosen_ = action; });
    return command;
  }

  /// A command that knows stage types knows those of plugins, too.
  CLI::App* add_with_types(const std::string& name, const std::string& help, std::function<int()> action) {
    CLI::App* command = add(name, help, std::move(action));
    add_plugin_option(*command, plugins_);
    return command;
  }

  void add_run() {
    CLI::App* command = add_with_types("run", "Run a graph.", [this] {
      run_.json = json_;
      run_.command_line = fmt::format("{}", fmt::join(arguments_, " "));
      return run_command(application_, graph_, run_);
    });
    add_graph_options(*command, graph_);
    add_run_options(*command, run_);
    command->add_flag("--resume", run_.resume, "go on from the last checkpoint in --run-dir");
  }

  void add_replay() {
    CLI::App* command =
        add_with_types("replay", "Run one stage of a graph alone, from recordings of its inputs.", [this] {
          run_.json = json_;
          run_.command_line = fmt::format("{}", fmt::join(arguments_, " "));
          return replay_command(application_, graph_, replay_, run_);
        });
    add_graph_options(*command, graph_);
    add_replay_options(*command, replay_);
    add_run_options(*command, run_);
  }

  void add_check() {
    CLI::App* command =
        add_with_types("check", "Check a graph and the configurations that it names; start nothing.", [this] {
          return check_command(application_, graph_, {.quiet = run_.quiet, .json = json_, .strict = strict_});
        });
    add_graph_options(*command, graph_);
    command->add_flag("--strict", strict_, "a warning, such as of an output that nobody takes, is a mistake too");
  }

  void add_graph() {
    CLI::App* command = add_with_types("graph", "Draw a graph.", [this] {
      drawing_.json = json_;
      return graph_command(application_, graph_, drawing_);
    });
    add_graph_options(*command, graph_);
    command->add_option("--format", drawing_.format, "text (default), dot, mermaid or svg");
    command->add_option("--output", drawing_.output, "file to write; default: standard output");
  }

  void add_report() {
    CLI::App* command = add("report", "Print or write the report of a finished run.", [this] {
      report_.json = json_;
      report_.quiet = run_.quiet;
      return report_command(report_);
    });
    command->add_option("RUN", report_.run, "run directory")->required();
    command->add_option("--format", report_.format, "text (default), html, json or trace");
    command->add_option("--output", report_.output, "file to write; default: standard output");
  }

  void add_catalog_commands() {
    add_with_types("list", "List the stage types.", [this] { return list_command(application_, json_); });
    add_with_types("inspect", "Show ports and parameters of a stage type.",
                   [this] { return inspect_command(application_, type_, json_); })
        ->add_option("TYPE", type_, "stage type, as `list` shows it")
        ->required();
    add_with_types("schema", "Print the JSON schema of graph files.",
                   [this] { return schema_command(application_, json_); });
  }

  void add_sweep() {
    CLI::App* command = add_with_types("sweep", "Run variants of a graph in turns and say which is fastest.", [this] {
      sweep_.output = {.json = json_, .quiet = run_.quiet};
      return sweep_command(application_, graph_, sweep_);
    });
    add_graph_options(*command, graph_);
    command
        ->add_option(
            "--vary", sweep_.vary,
            "PATH=VALUE,VALUE,... or STAGE=TYPE,TYPE,...: what to try; repeatable, every choice with every other")
        ->allow_extra_args(false);
    command->add_flag("--zip", sweep_.zip, "pair the values of all lists instead");
    command->add_option("--sweep", sweep_.file, "FILE: named variants, and lists to try, as JSON");
    command->add_option("--rounds", sweep_.rounds, "runs of each variant; default: 3")->check(CLI::Range(1, 1000));
    command->add_option("--seed", sweep_.seed, "draws the order within each round; default: 1");
    command->add_option("--run-dir", sweep_.run_dir, "folder of the sweep; default: runs/sweep-NAME-TIME");
    command->add_flag("--resume", sweep_.resume, "go on with the sweep in --run-dir; runs that are done are kept");
  }

  static CommandValues given(const Values& values) {
    CommandValues given;
    for (const auto& [name, texts] : values) {
      for (const std::string& text : texts) {
        if (!text.empty()) {
          given.emplace_back(name, text);
        }
      }
    }
    return given;
  }

  void add_command(const Command& command) {
    Values& values = values_.emplace_back();
    CLI::App* added = add(command.name, command.help, [this, &command, &values] {
      return command.run(given(values), {.json = json_, .quiet = run_.quiet});
    });
    for (const auto& [name, help] : command.positionals) {
      added->add_option(name, values.emplace_back(name, Texts(1)).second.front(), help)->required();
    }
    for (const CommandOption& option : command.options) {
      const std::string name = option.name.substr(option.name.find_first_not_of('-'));
      if (option.repeatable) {
        added->add_option(option.name, values.emplace_back(name, Texts{}).second, option.help)->allow_extra_args(false);
      } else {
        added->add_option(option.name, values.emplace_back(name, Texts(1)).second.front(), option.help);
      }
    }
  }

  Application application_;  // with the stage types of plugins
  std::vector<std::string> arguments_;
  CLI::App app_;
  GraphRequest graph_;
  RunRequest run_;
  ReplayRequest replay_;
  DrawingRequest drawing_;
  ReportRequest report_;
  SweepRequest sweep_;
  std::vector<std::string> plugins_;
  std::string type_;
  const std::vector<Command> run_commands_{compare_command(), whatif_command(application_.catalog), tune_command()};
  std::list<Values> values_;  // of these and the application's own commands
  bool json_ = false;
  bool strict_ = false;
  std::function<int()> chosen_;
};

int fail(int code, const std::string& text, bool json) {
  print_error("error: {}\n", text);
  if (json) {
    const Json result{{"ok", false}, {"code", code}, {"error", text}};
    print("{}\n", text_of(result));
  }
  return code;
}

/// The code of a command that has printed: what it says must have arrived, unless nobody wanted to read it.
int printed(int code, bool json) {
  const int error = output_error();
  return code == 0 && error != 0
             ? fail(ExitCode::kUserError, fmt::format("standard output: {}", std::generic_category().message(error)),
                    json)
             : code;
}

}  // namespace

int run_command_line(const Application& application, int argc, char** argv) {
  ignore_write_signals();
  CommandLine command_line{application, argc, argv};
  try {
    return printed(command_line.run(), command_line.json());
  } catch (const UserError& error) {
    return fail(ExitCode::kUserError, error.what(), command_line.json());
  } catch (const std::filesystem::filesystem_error& error) {  // a name that is too long, a link to itself
    return fail(ExitCode::kUserError, fmt::format("'{}': {}", error.path1().string(), error.code().message()),
                command_line.json());
  } catch (const StageError& error) {
    return fail(error.caused_by_user ? ExitCode::kUserError : ExitCode::kStageFailed, error.what(),
                command_line.json());
  } catch (const InternalError& error) {
    return fail(ExitCode::kStageFailed, fmt::format("internal error: {}", error.what()), command_line.json());
  } catch (const std::exception& error) {
    return fail(ExitCode::kStageFailed, error.what(), command_line.json());
  }
}

}  // namespace dflash
