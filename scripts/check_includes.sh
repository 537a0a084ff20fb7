#!/usr/bin/env bash
# Includes point one way, and what is named only in one room stays there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

faults=0
# forbid MESSAGE PATTERN PATHS...: no line of the files matches.
forbid() {
  local message=$1 pattern=$2
  shift 2
  local found
  found=$(git ls-files -- "$@" | grep -E '\.(h|cpp|cu|cuh)$' | xargs -r grep -HnE "$pattern" || true)
  if [ -n "$found" ]; then
    printf '%s\n%s\n' "includes: $message" "$found"
    faults=1
  fi
}

forbid "framework may not know the stages" '#include "stages/' framework
forbid "oneTBB is named only in framework/runtime" 'tbb::|#include <(oneapi/)?tbb' framework/core framework/cli framework/report \
  framework/telemetry framework/device framework/checkpoint stages
forbid "LibTorch is not known to the framework" '#include <(ATen|torch|c10)/' framework/core framework/runtime framework/cli \
  framework/report framework/telemetry framework/checkpoint
forbid "CUDA runtime calls live in framework/device and stages/kernels" '\bcuda[A-Z][A-Za-z]+\(' framework/core framework/runtime \
  framework/cli framework/report framework/telemetry stages/models stages/data stages/batch stages/target stages/extract \
  stages/pack stages/queue stages/drafter stages/postprocess stages/generate stages/prepare stages/evaluate stages/export stages/session
forbid "models know kernels and the framework only" \
  '#include "stages/(data|batch|target|extract|pack|queue|drafter|postprocess|generate|prepare|evaluate|export|session)/' stages/models
forbid "kernels know the framework only" \
  '#include "stages/(models|data|batch|target|extract|pack|queue|drafter|postprocess|generate|prepare|evaluate|export|session)/' stages/kernels
forbid "networks are plain functions" '#include <torch/(torch|nn)' stages framework
[ "$faults" = 0 ] && echo "includes: clean"
exit "$faults"
