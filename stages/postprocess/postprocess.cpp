// SPDX-License-Identifier: Apache-2.0
#include "stages/postprocess/postprocess.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <nlohmann/json.hpp>

#include "framework/core/error.h"
#include "stages/postprocess/divergence.h"

namespace dflash {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::vector<float> read_values(const at::Tensor& values) {
  const at::Tensor host = values.to(at::kCPU, at::kFloat).contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

}  // namespace

void Postprocess::open(const StageEnv& env) {
  log_ = env.log;
  const Json earlier = log_->summaries().value("training", Json::object());  // of a run that is resumed
  tokens_ = earlier.value("tokens", std::int64_t{0});
  loss_first_ = earlier.value("loss_first", Json());
  path_ = env.run_dir / "metrics.jsonl";
  last_ = std::chrono::steady_clock::now();
}

void Postprocess::fire(Firing& firing) {
  const StepMetrics step = firing.take(metrics);
  std::vector<float> values;
  {
    const Span span{firing, "read"};
    values = read_values(step.values);
  }
  const auto now = std::chrono::steady_clock::now();
  Json line{{"step", step.step}};
  for (std::size_t i = 0; i < step.names.size(); ++i) {
    line[step.names[i]] = values[i];
  }
  line["tokens"] = step.tokens;
  line["tokens_per_s"] = static_cast<double>(step.tokens) / std::max(seconds_between(last_, now), 1e-9);
  line["lr"] = step.lr;
  Json& phases = line["phase_s"] = Json::object();
  for (const auto& [name, seconds] : step.phase_seconds) {
    phases[name] = seconds;
  }
  last_ = now;
  {
    const Span span{firing, "write"};
    write_line(line);
  }
  publish(step, values);
  check_finite(step, values);
}

void Postprocess::write_line(const Json& line) {
  if (!file_) {
    file_.reset(std::fopen(path_.c_str(), "ae"));
    DFLASH_USER_CHECK(file_ != nullptr, "cannot write {}: {}", path_.string(), std::generic_category().message(errno));
  }
  const std::string text = line.dump() + "\n";
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
  DFLASH_USER_CHECK(written, "cannot write {}: {}", path_.string(), std::generic_category().message(errno));
}

void Postprocess::publish(const StepMetrics& step, const std::vector<float>& values) {
  tokens_ += step.tokens;
  if (!first_) {
    first_ = last_;
  } else {
    tokens_after_first_ += step.tokens;
  }
  Json summary{{"steps", step.step}, {"tokens", tokens_}, {"tokens_per_s", nullptr}};
  if (const double seconds = seconds_between(*first_, last_); seconds > 0.0) {
    summary["tokens_per_s"] = static_cast<double>(tokens_after_first_) / seconds;
    log_->set_metric("tokens_per_s", summary["tokens_per_s"]);
  }
  for (std::size_t i = 0; i < step.names.size(); ++i) {
    log_->set_metric(step.names[i], values[i]);
    if (step.names[i] == "loss") {
      loss_first_ = loss_first_.is_null() ? Json(values[i]) : loss_first_;
      summary["loss_first"] = loss_first_;
      summary["loss_last"] = values[i];
    }
  }
  log_->set_summary("training", summary);
}

void Postprocess::close() noexcept { file_.reset(); }

}  // namespace dflash
