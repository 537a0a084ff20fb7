// SPDX-License-Identifier: Apache-2.0
#include "framework/cli/run_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "framework/analysis/stage_gains.h"
#include "framework/checkpoint/durable_file.h"
#include "framework/cli/activity.h"
#include "framework/cli/live_server.h"
#include "framework/cli/metrics_file.h"
#include "framework/cli/plan_check.h"
#include "framework/cli/provenance.h"
#include "framework/cli/report_files.h"
#include "framework/cli/requested_directory.h"
#include "framework/cli/resume_point.h"
#include "framework/cli/run_directory.h"
#include "framework/cli/run_outcome.h"
#include "framework/cli/run_output.h"
#include "framework/cli/run_watch.h"
#include "framework/cli/step_duties.h"
#include "framework/cli/stop_signal.h"
#include "framework/core/error.h"
#include "framework/core/exit_code.h"
#include "framework/core/json_syntax.h"
#include "framework/report/report_json.h"
#include "framework/runtime/executor.h"
#include "framework/telemetry/busy_window.h"

namespace dflash {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::chrono::nanoseconds nanoseconds_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds});
}

bool drives_steps(const Graph& graph) {
  return std::ranges::any_of(graph.vertices(), [](const Graph::Vertex& vertex) { return vertex.info.drives_steps; });
}

class RunSession {
 public:
  RunSession(const Application& application, RunPlan& plan, const RunRequest& request)
      : application_{application},
        plan_{plan},
        request_{request},
        live_address_{requested_address(request.serve, request.serve_anyone)},
        directory_(requested_directory(plan, request)),
        output_{request} {}

  int run() {
    if (request_.resume) {
      resume_ = find_resume_point(directory_, plan_.resolved,
                                  {.steps = plan_.steps,
                                   .drives_steps = drives_steps(plan_.graph),
                                   .plugins = plugins_json(application_.plugins)});
      for (const std::string& note : resume_.notes) {
        output_.say(note);
      }
      if (resume_.finished) {
        return output_.already_finished(directory_);
      }
    }
    Diagnostics diagnostics;
    check_plan(application_, plan_,
               {.run_dir = directory_.path(),
                .log = &log_,
                .stop_requested = [] { return StopSignal::count() > 0; },
                .say_activity = [this](const std::string& text) { activity_.set(text); }},
               resources_, diagnostics);
    diagnostics.throw_if_any();
    output_.warn(plan_.hooks.warnings());
    if (resume_.checkpoint) {
      restore_summaries(*resume_.checkpoint, log_);
    }
    const StopSignal signal;  // until the report is written
    return conclude(execute());
  }

 private:
  [[nodiscard]] std::int64_t resumed_step() const { return resume_.checkpoint ? resume_.checkpoint->step : 0; }

  RunRecord execute() {
    Progress progress{output_.style(), output_.writer(), output_.columns()};
    std::optional<Executor> executor;
    std::optional<StepDuties> duties;
    std::optional<RunWatch> watch;               // behind what it looks at, so that it ends before
    std::optional<LiveServer::Looking> looking;  // likewise
    if (live_address_) {
      live_server_.emplace(*live_address_);
      output_.say("live: " + live_server_->url());
    }
    duties.emplace(plan_, directory_, log_, [&](const std::string& line) { watch->say(line); }, resumed_step());
    RunOptions options = run_options();
    options.opened = [&] {
      make_directory();
      if (!resume_.checkpoint && !duties->evaluate_at_start()) {
        executor->request_stop();
      }
      firing_since_ = Clock::now();
      watch->begin_progress();
    };
    options.between_steps = [&](std::int64_t step, Firing&, const SaveCut& save) { duties->between(step, save); };
    options.settles_at = [&](std::int64_t step) { return duties->are_due(step); };
    options.drained = [&](std::int64_t step, const SaveCut& save) { duties->drained(step, save); };
    executor.emplace(plan_.graph, std::move(options));
    watch.emplace(progress, RunWatch::Callbacks{.sample = [&] { return sample(*executor, *duties); },
                                                .activity = [this] { return activity_.text(); },
                                                .stop = [&] { executor->request_stop(); },
                                                .stop_at_once = [&] { executor->request_stop_at_once(); },
                                                .end_if_stalled = [&] { end_if_stalled(*executor); },
                                                .give_up = [&] { give_up_after(duties->last_step()); }});
    if (live_server_) {
      looking.emplace(*live_server_, [&] { return live_run(*executor, *duties); });
    }
    RunRecord record = run_to_any_end(*executor);
    watch->end_progress();
    if (record.outcome.code == 0) {
      finish(*duties, record);
    } else if (const std::string note = planted_nan_note(plan_.graph);
               record.outcome.code == ExitCode::kStageFailed && !note.empty()) {
      log_.set_summary("notes", {{"inject", note}});
    }
    return record;
  }

  RunOptions run_options() {
    RunOptions options;
    options.device = plan_.device;
    options.seed = plan_.seed;
    options.steps = plan_.steps;
    options.run_dir = directory_.path();
    options.resources = &resources_;
    options.log = &log_;
    options.worker_started = application_.worker_started;
    options.stall_timeout = nanoseconds_of(plan_.stall_timeout_s);
    options.stop_timeout = nanoseconds_of(plan_.stop_timeout_s);
    options.order_seed = plan_.order_seed;
    options.marks_ranges = request_.nvtx;
    options.checked = true;
    if (resume_.checkpoint) {
      options.resume_from = resume_.checkpoint->folder;
      options.resumed_step = resumed_step();
    }
    return options;
  }

  /// An error in the callbacks of the run must not lose the report once there is a folder for it.
  RunRecord run_to_any_end(Executor& executor) {
    try {
      return executor.run();
    } catch (const std::exception& error) {
      if (!directory_.created()) {
        throw;
      }
      RunRecord record;
      record.outcome = outcome_of(error);
      record.errors.emplace_back(error.what());
      return record;
    }
  }

  /// Each for itself: an evaluation that fails must not keep the application from writing what was trained.
  void finish(StepDuties& duties, RunRecord& record) {
    output_.say(early_end_note(record, duties.last_step(), plan_.steps));
    attempt(record, [&] { duties.evaluate_if_due(duties.last_step(), "end"); });
    if (record.outcome.code != ExitCode::kInterrupted) {
      attempt(record, [&] { plan_.hooks.finish(directory_.path()); });
    }
  }

  void make_directory() {
    directory_.create();
    directory_.remove_reports();
    cut_back_metrics(directory_.metrics(), resume_.checkpoint ? resumed_step() : -1, resume_.only_the_end_is_left);
    Json resolved{{"schema", "dflash-resolved/1"}, {"graph", plan_.resolved}, {"origins", plan_.origins}};
    resolved.update(plan_.beside);
    resolved.update(provenance());
    replace_durably(directory_.resolved(), text_of(resolved, 2) + "\n");
  }

  [[nodiscard]] Json provenance() const {
    return run_provenance(application_, plan_, request_.command_line,
                          resume_.checkpoint ? std::optional{resumed_step()} : std::nullopt);
  }

  [[nodiscard]] ProgressSample progress(const StepDuties& duties) const {
    return {.elapsed_s = seconds_since(firing_since_),
            .steps = duties.last_step(),
            .first_step = resumed_step(),
            .total_steps = plan_.steps,
            .work = log_.work(),
            .metrics = log_.metrics()};
  }

  ProgressSample sample(Executor& executor, const StepDuties& duties) {
    ProgressSample sample = progress(duties);
    const BusiestStage busiest = busy_window_.add(executor.live_view());
    sample.busiest_stage = busiest.name;
    sample.busiest_share = busiest.share;
    if (live_server_) {
      live_server_->note(sample);
    }
    return sample;
  }

  LiveRun live_run(Executor& executor, const StepDuties& duties) const {
    return {.graph = plan_.graph_name,
            .activity = activity_.text(),
            .progress = progress(duties),
            .view = executor.live_view()};
  }

  int conclude(RunRecord record) {
    RunReport report = report_of(std::move(record));
    output_.say(write_reports(directory_, report));
    const Json json = report_json(report);
    const Outcome& outcome = report.record.outcome;
    output_.result(directory_, json, outcome.code == 0 ? plan_.hooks.final_summary(json) : "");
    tell_pages(report);
    return outcome.code;
  }

  RunReport report_of(RunRecord record) const {
    RunReport report = make_run_report(plan_.graph_name, std::move(record), seconds_since(begin_));
    output_.say(weighed_note(report));
    report.planted = planted_texts(plan_.graph);
    report.summaries = log_.summaries();
    report.provenance = provenance();
    return report;
  }

  void tell_pages(const RunReport& report) {
    if (live_server_) {
      live_server_->tell_end({report.record.outcome, report.verdict.text, directory_.path().string()});
    }
  }

  [[noreturn]] void give_up_after(std::int64_t last_step) {
    give_up({.code = ExitCode::kInterrupted,
             .text = fmt::format("interrupted at once after step {}, with work under way", last_step)});
  }

  void end_if_stalled(Executor& executor) {
    if (const std::optional<Outcome> stall = executor.find_stall()) {
      give_up(*stall);
    }
  }

  /// Ends the process from the watching thread, while stages are still at work: what only they know is left out of the
  /// report.
  [[noreturn]] void give_up(const Outcome& outcome) {
    RunRecord record;
    record.outcome = outcome;
    record.errors.push_back(outcome.text);
    if (directory_.created()) {
      RunReport report = report_of(record);
      (void)write_reports(directory_, report);
      output_.result(directory_, report_json(report), "");
      if (outcome.code != ExitCode::kInterrupted) {  // that shall be at once
        tell_pages(report);
      }
    }
    std::_Exit(outcome.code);
  }

  const Clock::time_point begin_ = Clock::now();
  const Application& application_;
  RunPlan& plan_;
  const RunRequest& request_;
  const std::optional<LiveAddress> live_address_;
  RunDirectory directory_;
  RunOutput output_;
  Resources resources_;
  RunLog log_;
  Activity activity_;
  ResumePoint resume_;
  std::atomic<Clock::time_point> firing_since_ = begin_;
  BusyWindow busy_window_;                 // of the watching thread
  std::optional<LiveServer> live_server_;  // last: nobody asks once the rest goes
};

}  // namespace

int run_session(const Application& application, RunPlan& plan, const RunRequest& request) {
  return RunSession{application, plan, request}.run();
}

}  // namespace dflash
