// SPDX-License-Identifier: Apache-2.0
// Bytes per second of the fused RMS norm and of the same formula in plain tensor operations, per device and shape.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <benchmark/benchmark.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "framework/device/device.h"
#include "stages/kernels/rms_norm_forward.h"
#include "tests/stages/kernels/rms_norm_shapes.h"

namespace dflash {
namespace {

constexpr double kEps = 1e-6;

at::Tensor plain(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const at::Tensor wide = x.to(at::kFloat);
  return (wide * at::rsqrt(wide.square().mean(-1, true) + eps)).to(x.scalar_type()) * weight;
}

using Norm = at::Tensor (*)(const at::Tensor& x, const at::Tensor& weight, double eps);

void finish(const at::Device& device) {
  const c10::impl::VirtualGuardImpl guard{device.type()};
  guard.synchronizeDevice(0);
}

void time_norm(benchmark::State& state, Norm norm, const RmsNormShape& shape, const std::string& device_name) {
  const at::NoGradGuard no_grad;
  const at::Device device{device_name};
  const auto options = at::TensorOptions().dtype(at::kBFloat16).device(device);
  const at::Tensor x = at::randn({shape.num_rows, shape.width}, options);
  const at::Tensor weight = at::ones({shape.width}, options);
  // Many launches per reading of the clock, so that the wait for the device does not count.
  const int launches = device.is_cuda() ? 100 : 1;
  for ([[maybe_unused]] auto _ : state) {
    for (int launch = 0; launch < launches; ++launch) {
      benchmark::DoNotOptimize(norm(x, weight, kEps));
    }
    if (device.is_cuda()) {
      finish(device);
    }
  }
  const auto passes = static_cast<double>(state.iterations()) * launches;
  state.counters["bytes_per_second"] =
      benchmark::Counter(passes * 2 * static_cast<double>(x.nbytes()), benchmark::Counter::kIsRate);
}

void add(const char* name, Norm norm, const std::string& device) {
  for (const RmsNormShape& shape : kRmsNormModelShapes) {
    const std::string full_name =
        std::string{name} + "/" + device + "/" + std::to_string(shape.num_rows) + "/" + std::to_string(shape.width);
    benchmark::RegisterBenchmark(full_name.c_str(), [=](benchmark::State& state) {
      time_norm(state, norm, shape, device);
    })->UseRealTime();
  }
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string device = dflash::resolve_device("auto");
  dflash::add("rms_norm_fused", dflash::rms_norm_forward, device);
  dflash::add("rms_norm_plain", dflash::plain, device);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
