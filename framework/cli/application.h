// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "framework/core/catalog.h"
#include "framework/core/graph_mistakes.h"
#include "framework/core/json.h"
#include "framework/core/resources.h"
#include "framework/core/run_log.h"
#include "framework/telemetry/run_record.h"

namespace dflash {

/// What is settled about a run before stages open.
struct RunEnv {
  std::string device;     // "cpu" or "cuda:0"
  std::string precision;  // "auto", "fp32" or "bf16", as given
  std::uint64_t seed = 0;
  std::int64_t steps = 0;
  bool evaluate = false;          // the graph has not switched evaluation off
  std::int64_t keep_best = 0;     // above 0: every checkpoint gets a score
  std::filesystem::path run_dir;  // empty in `check`
  RunLog* log = nullptr;          // null in `check`
  /// True once the user has asked the run to stop: an evaluation looks at it between its rounds, and throws
  /// Interrupted.
  std::function<bool()> stop_requested = [] { return false; };
  /// Says what the run does in place of firings ("evaluating: 12 of 64 prompts"), for progress; empty: nothing. From
  /// any thread.
  std::function<void(const std::string& text)> say_activity = [](const std::string&) {};
};

/// What an application adds to one run: the sections of "models", the keys of "run.evaluate", evaluation between steps,
/// the last table. Made anew for each graph that is read, because the parameter sets carry its values.
class RunHooks {
 public:
  virtual ~RunHooks() = default;
  /// The closed set of sections that "models" may have; an absent section keeps its defaults and counts as not given.
  [[nodiscard]] virtual std::vector<std::pair<std::string, ParamSet*>> model_sections() = 0;
  [[nodiscard]] virtual ParamSet& evaluate_params() = 0;
  /// Reads and checks what the sections name (configurations, held-out rows; of weights no more than their headers) and
  /// puts what stages share into `resources`. Also part of `check`. `given` holds the names of the model sections that
  /// the graph has. Adds all that is wrong, with the pointer of the value that brought it ("/models/target/path");
  /// leaves out what follows from a value known to be wrong.
  virtual void resolve(const RunEnv& env, const std::vector<std::string>& given, Resources& resources,
                       GraphMistakes& mistakes) = 0;
  /// Whether an evaluation is due: at "start" (step 0, before the first firing), after a "step", at the "end". Asked
  /// only where the graph does not switch evaluation off.
  [[nodiscard]] virtual bool evaluates_at(std::int64_t step, const std::string& when) const = 0;
  /// One evaluation; results by name. `when`: as above, or "checkpoint", for a score. Called between steps on the
  /// stage's own thread, and at "start" and "end" on the thread that runs the graph. Throws Interrupted where the user
  /// has asked the run to stop.
  [[nodiscard]] virtual Json evaluate(std::int64_t step, const std::string& when) = 0;
  /// The figure by which `keep_best` judges a checkpoint, of the evaluation made at it; larger is better.
  [[nodiscard]] virtual double score(const Json& evaluation) const = 0;
  /// What is allowed but hardly meant, once `resolve` has found nothing wrong: told by `check` and `run`, a mistake
  /// with `check --strict`.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// Where the run's numbers come from, beside what the framework knows, once `resolve` has found nothing wrong; goes
  /// over that: {"precision": "auto: fp32"}.
  [[nodiscard]] virtual Json provenance() const { return Json::object(); }
  /// What to print when a run is done, before its verdict and the path of its report; `report` is report.json. Empty:
  /// nothing.
  [[nodiscard]] virtual std::string final_summary(const Json& report) = 0;
  /// After the last step, with the run directory, before the report: writes the export, say.
  virtual void finish(const std::filesystem::path& run_dir) = 0;
};

/// How a command shall answer.
struct CommandOutput {
  bool json = false;   // the last line of standard output is one JSON object
  bool quiet = false;  // errors only
};

struct CommandOption {
  std::string name;  // "--format"; takes a value
  std::string help;
  bool repeatable = false;
};

/// Values by name ("format"; positionals by their name), in the order of the command's declaration; those of a
/// repeatable option one by one. What is not given is left out.
using CommandValues = std::vector<std::pair<std::string, std::string>>;

/// A command that needs no graph file: the application's own beside the framework's ("export"), and those of the
/// framework that look at runs.
struct Command {
  std::string name;
  std::string help;
  std::vector<std::pair<std::string, std::string>> positionals;  // name, help
  std::vector<CommandOption> options;
  /// Returns the exit code; may throw UserError.
  std::function<int(const CommandValues& values, const CommandOutput& output)> run;
};

/// A shared library that has brought stage types.
struct LoadedPlugin {
  std::string file;     // as the user named it
  std::string version;  // its own; may be empty
  std::string hash;     // of its content
  std::vector<std::string> types{};
};

/// The program that `main` hands to the framework's command line.
struct Application {
  std::string name;  // "dflash-graph"
  std::string version;
  Catalog catalog;
  std::function<std::unique_ptr<RunHooks>()> new_run;
  std::vector<Command> commands;
  /// "auto" to a device name; throws UserError where the named device cannot be had.
  std::function<std::string(const std::string& device)> resolve_device;
  std::function<void()> worker_started;  // on each worker thread before its first firing
  std::function<Json()> versions;        // of the libraries, for resolved.json and the report
  std::vector<LoadedPlugin> plugins{};   // filled by the command line, see load_plugins
};

/// Parses the command line and runs one command. Maps errors to exit codes.
int run_command_line(const Application& application, int argc, char** argv);

}  // namespace dflash
