// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/sweep_session.h"

#include <chrono>
#include <cstdio>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "framework/analysis/sweep_text.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/checkpoint/folder_lock.h"
#include "framework/cli/child_process.h"
#include "framework/cli/compare_command.h"
#include "framework/cli/printing.h"
#include "framework/cli/recorded_run.h"
#include "framework/cli/run_directory.h"
#include "framework/cli/stop_signal.h"
#include "framework/cli/sweep_settings.h"
#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/core/json_differences.h"
#include "framework/core/json_syntax.h"
#include "framework/report/number_text.h"

namespace dflash {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

std::string last_line(const fs::path& log) {
  std::string last;
  std::istringstream lines{fs::exists(log) ? read_text(log) : ""};
  for (std::string line; std::getline(lines, line);) {
    last = line.empty() ? last : line;
  }
  return last;
}

class SweepSession {
 public:
  explicit SweepSession(const Sweep& sweep) : sweep_{sweep} {
    for (const SweepVariant& variant : sweep.variants) {
      result_.rows.push_back({.variant = variant, .runs = {}, .against_first = {}, .losses = {}});
    }
  }

  SweepResult run() {
    if (sweep_.resume) {
      require_same_sweep(sweep_);
      find_done();
    }
    fs::create_directories(sweep_.directory);
    const FolderLock lock{sweep_.directory, "the directory of the sweep"};
    judge_and_write();
    for (std::int64_t round = 1; round <= sweep_.rounds; ++round) {
      for (const std::size_t variant : round_order(result_.rows.size(), round, sweep_.seed)) {
        if (StopSignal::count() == 0) {
          run_variant(variant, round);
        }
      }
    }
    if (done_ < total()) {
      result_.best.reset();
      result_.sentence = fmt::format("Interrupted after {} of {} runs; go on with --resume --run-dir {}.", done_,
                                     total(), sweep_.directory.string());
      write();
    }
    return std::move(result_);
  }

 private:
  void say(const std::string& line) const {
    if (!sweep_.quiet) {
      write_text(sweep_.json ? stderr : stdout, line + "\n");
    }
  }

  [[nodiscard]] std::int64_t total() const { return std::ssize(result_.rows) * sweep_.rounds; }

  [[nodiscard]] fs::path directory_of(std::size_t variant, std::int64_t round) const {
    return sweep_.directory / fmt::format("{}-{}", sweep_.variants[variant].name, round);
  }

  /// Before anything is written: one of another graph is an error.
  void find_done() {
    for (std::int64_t round = 1; round <= sweep_.rounds; ++round) {
      for (std::size_t variant = 0; variant < sweep_.variants.size(); ++variant) {
        if (is_done(directory_of(variant, round), sweep_.resolved[variant])) {
          kept_.emplace(variant, round);
        }
      }
    }
  }

  void run_variant(std::size_t variant, std::int64_t round) {
    SweepRow& row = result_.rows[variant];
    SweepRun run{.round = round, .run_dir = directory_of(variant, round).string(), .text = {}, .progress = {}};
    const Clock::time_point begin = Clock::now();
    const bool kept = kept_.contains({variant, round});
    if (!kept) {
      run.code = start(row.variant, run.run_dir, run.text);
    }
    if (run.code != 0 && StopSignal::count() > 0) {
      say(fmt::format("[{}/{}] {}, round {}: interrupted", done_, total(), row.variant.name, round));
      return;
    }
    if (run.code == 0) {
      read(run);
    }
    spent_ += kept ? 0.0 : nanoseconds_since(begin);
    ran_ += kept ? 0 : 1;
    ++done_;
    say(progress_line(row.variant, run, kept ? "kept" : duration_text(nanoseconds_since(begin))));
    row.runs.push_back(std::move(run));
    judge_and_write();
  }

  /// An earlier run that needs not be made again.
  static bool is_done(const fs::path& directory, const Json& graph) {
    const fs::path report = directory / "report.json";
    if (!RunDirectory::is_run_directory(directory) || !fs::exists(report)) {
      return false;
    }
    const RecordedRun run{directory};
    const std::vector<JsonDifference> differences = json_differences(run.graph(), graph);
    DFLASH_USER_CHECK(differences.empty(),
                      "cannot resume: the run in '{}' was of another graph, it differs in {}; allowed: another "
                      "--run-dir, or the graph as it was",
                      directory.string(), differences.empty() ? "" : differences.front().key);
    return read_written(run.report(), report.string(),
                        [](const Json& object) { return object.at("outcome").at("code").get<int>() == 0; });
  }

  int start(const SweepVariant& variant, const fs::path& directory, std::string& text) const {
    const fs::path log = directory.string() + ".log";
    const GraphRequest graph = request_of(sweep_.graph, variant);
    std::vector<std::string> command{sweep_.name, "run",       graph.path.string(),
                                     "--quiet",   "--run-dir", directory.string()};
    const auto add = [&](const char* option, const std::string& value) {
      command.emplace_back(option);
      command.push_back(value);
    };
    for (const std::string& plugin : sweep_.plugins) {
      add("--plugin", plugin);
    }
    for (const fs::path& overlay : graph.overlays) {
      add("--overlay", overlay.string());
    }
    for (const std::string& swap : graph.swaps) {
      add("--swap", swap);
    }
    for (const std::string& set : graph.sets) {
      add("--set", set);
    }
    if (RunDirectory::is_run_directory(directory)) {
      command.emplace_back("--force");
    }
    const int code = run_child(sweep_.program, command, log, StopSignal::count);
    text = last_line(log);
    if (text.empty()) {
      std::error_code ignored;
      fs::remove(log, ignored);
    }
    return code;
  }

  /// What a run left; a damaged file makes it one that failed.
  static void read(SweepRun& run) {
    try {
      const RunRecords records = read_records(run.run_dir);
      run.progress = read_written(records.report, run.run_dir + "/report.json",
                                  [&](const Json& /*report*/) { return progress_of(records); });
    } catch (const UserError& error) {
      run.code = ExitCode::kStageFailed;
      run.text = error.what();
    }
  }

  [[nodiscard]] std::string progress_line(const SweepVariant& variant, const SweepRun& run,
                                          const std::string& time) const {
    std::string found = fmt::format("ended with code {}: {}", run.code, run.text);
    if (run.progress) {
      const Throughput throughput = compare_throughput({&*run.progress}, {&*run.progress});
      found = throughput.rate_b ? fmt::format("{} {}", rate_text(throughput.rate_b->value), throughput.unit)
                                : "too few steps to tell the rate";
    }
    std::string left;
    if (ran_ > 0 && done_ < total()) {
      left = fmt::format("; about {} left",
                         duration_text(spent_ / static_cast<double>(ran_) * static_cast<double>(total() - done_)));
    }
    return fmt::format("[{}/{}] {}, round {}: {} ({}){}", done_, total(), variant.name, run.round, found, time, left);
  }

  void judge_and_write() {
    judge(result_);
    write();
  }

  void write() const {
    Json json{{"schema", "dflash-sweep-result/1"}, {"complete", done_ == total()}};
    json.update(sweep_settings(sweep_));
    json.update(sweep_json(result_));
    replace_durably(sweep_.directory / "sweep.json", text_of(json, 2) + "\n");
  }

  const Sweep& sweep_;
  SweepResult result_;
  std::set<std::pair<std::size_t, std::int64_t>> kept_;  // variants and rounds of earlier runs
  std::int64_t done_ = 0;
  std::int64_t ran_ = 0;  // of them in this session
  double spent_ = 0.0;    // nanoseconds, on those
};

}  // namespace

GraphRequest request_of(const GraphRequest& shared, const SweepVariant& variant) {
  GraphRequest request = shared;
  request.overlays.insert(request.overlays.end(), variant.overlays.begin(), variant.overlays.end());
  request.swaps.insert(request.swaps.end(), variant.swaps.begin(), variant.swaps.end());
  request.sets.insert(request.sets.end(), variant.sets.begin(), variant.sets.end());
  return request;
}

SweepResult run_sweep(const Sweep& sweep) { return SweepSession{sweep}.run(); }

}  // namespace dflash
