// SPDX-License-Identifier: Apache-2.0
#include "tests/support/adding_run.h"

#include <fmt/format.h>

#include "framework/cli/metrics_file.h"
#include "framework/core/firing.h"
#include "framework/core/snapshot.h"

namespace dflash {

std::optional<std::int64_t> Numbers::next(Firing&) {
  if (given_ == last) {
    return std::nullopt;
  }
  return ++given_;
}
void Numbers::save(Snapshot& snapshot) const { snapshot.values["given"] = given_; }
void Numbers::load(const Snapshot& snapshot) { given_ = snapshot.values.at("given").get<std::int64_t>(); }

void Adder::open(const StageEnv& env) {
  env_ = env;
  at_open();
}

void Adder::fire(Firing& firing) {
  sum += firing.take(numbers);
  ++step_;
  env_.log->set_metric("loss", 1.0 / static_cast<double>(step_));
  env_.log->set_summary("training", {{"steps", step_}, {"sum", sum}});
  append_json_line(env_.run_dir / "metrics.jsonl", {{"step", step_}, {"sum", sum}});
  at_step(step_, firing);
  firing.complete_step(step_);
}
void Adder::save(Snapshot& snapshot) const { snapshot.values = {{"sum", sum}, {"step", step_}}; }
void Adder::load(const Snapshot& snapshot) {
  sum = snapshot.values.at("sum").get<std::int64_t>();
  step_ = snapshot.values.at("step").get<std::int64_t>();
}

bool NotingHooks::evaluates_at(std::int64_t step, const std::string& when) const {
  return when != "step" || (evaluate_every > 0 && step % evaluate_every == 0);
}
Json NotingHooks::evaluate(std::int64_t step, const std::string& when) {
  calls.push_back(fmt::format("evaluate {} {}", step, when));
  at_evaluate(when);
  return {{"tau", static_cast<double>(step) + 0.5}};
}
double NotingHooks::score(const Json& evaluation) const { return evaluation.at("tau").get<double>(); }
void NotingHooks::finish(const std::filesystem::path&) {
  calls.emplace_back("finish");
  at_finish();
}

AddingRun::AddingRun()
    : numbers{&graph.add<Numbers>("numbers")},
      adder{&graph.add<Adder>("adder")},
      plan{.graph_name = "adding",
           .graph = graph,
           .hooks = hooks,
           .device = "cpu",
           .precision = "auto",
           .seed = 42,
           .steps = 10} {
  graph.connect(numbers->out, adder->numbers);
  plan.resolved = {{"name", "adding"}, {"run", {{"steps", 10}, {"seed", 42}}}};
}

}  // namespace dflash
