#!/usr/bin/env bash
# Runs graphs, options, data files and model folders with one mistake each. Each must end with exit code 2 and a message
# that names the place and what is allowed or meant, and leave no run directory behind; `check` must say the same as
# `run`. Prints the messages.
#
#   scripts/check_wrong_graphs.sh [BINARY]        default: build/release/dflash-graph
#
# Exit code 0: all were refused as they should be; 1: one was not; 2: no binary.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failures=0
number=0

# Runs a graph file that must be refused: what is wrong with it, its path, then options up to "--", then the extended
# regular expressions that the message must match. Standard input is not read.
refuse() {
  local title="$1" graph="$2" code=0 check_code=0 message checked pattern options=() faults=()
  shift 2
  while [[ "$1" != "--" ]]; do options+=("$1") && shift; done
  shift
  number=$((number + 1))
  message="$("$binary" run "$graph" --run-dir "$work/run" "${options[@]}" 2>&1 >"$work/stdout")" || code=$?
  checked="$("$binary" check "$graph" "${options[@]}" 2>&1 >/dev/null)" || check_code=$?
  [[ "$code" == 2 ]] || faults+=("exit code $code instead of 2")
  [[ "$check_code" == 2 ]] || faults+=("check ends with exit code $check_code instead of 2")
  [[ "$checked" == "$message" ]] || faults+=("check says something else: $checked")
  for pattern in "$@"; do
    grep -Eq -- "$pattern" <<<"$message" || faults+=("the message lacks /$pattern/")
  done
  ! grep -Eq "exception|internal error" <<<"$message" || faults+=("the message speaks of the program's inside")
  [[ ! -s "$work/stdout" ]] || faults+=("standard output is not empty")
  if [[ -e "$work/run" ]]; then
    faults+=("a run directory was left behind")
    rm -rf "$work/run"
  fi
  printf '%2d. %s\n' "$number" "$title"
  sed -e "s|$work/||g" -e 's/^/      /' <<<"$message"
  if ((${#faults[@]} > 0)); then
    failures=$((failures + 1))
    printf '    FAILED: %s\n' "${faults[@]}"
  fi
}

# Writes a copy of graphs/train.json with one text replaced, both read literally, and prints "LINE:COLUMN" of the
# replacement's first differing place as a regular expression would find it in a message: "wrong.json:LINE:".
mistake() {
  python3 - "$work/wrong.json" "$1" "$2" <<'PYTHON'
import sys

path, right, wrong = sys.argv[1:]
text = open("graphs/train.json").read()
if text.count(right) != 1:
    sys.exit(f"graphs/train.json has {text.count(right)} times: {right}")
open(path, "w").write(text.replace(right, wrong))
print(r"wrong\.json:%d:[0-9]+" % (text[: text.index(right)].count("\n") + 1))
PYTHON
}

# Refuses graphs/train.json with one text replaced: title, right text, wrong text, regular expressions.
refuse_mistake() {
  local title="$1" place
  place="$(mistake "$2" "$3")"
  shift 3
  refuse "$title" "$work/wrong.json" -- "$place" "$@"
}

# Refuses graphs/train.json with one value set on the command line: title, PATH=VALUE, regular expressions.
refuse_set() {
  local title="$1" set="$2" pointer="${2%%=*}"
  shift 2
  refuse "$title" graphs/train.json --set "$set" -- "--set ${pointer//./\\.}=" "$@"
}

# Refuses graphs/train.json with other rows: title, text of the file (escapes as in printf), regular expressions.
refuse_rows() {
  local title="$1"
  printf '%b' "$2" >"$work/rows.jsonl"
  shift 2
  refuse_set "$title" "data.path=$work/rows.jsonl" "/stages/data/params/path: " "$@"
}

# Refuses graphs/train.json with a copy of the target's folder, changed: title, a command that is run in the copy,
# regular expressions.
refuse_target() {
  local title="$1"
  rm -rf "$work/target"
  cp -r configs/tiny/target "$work/target"
  (cd "$work/target" && eval "$2")
  shift 2
  refuse_set "$title" "models.target.path=$work/target" "/models/target/path: " "$@"
}

# Refuses graphs/train.json with a copy of the drafter's configuration with one text replaced.
refuse_drafter() {
  local title="$1"
  sed "s|$2|$3|" configs/tiny/drafter.json >"$work/drafter.json"
  shift 3
  refuse_set "$title" "models.drafter.config=$work/drafter.json" "/models/drafter/config: " "drafter\.json:[0-9]+:[0-9]+: " "$@"
}

refuse_mistake "a key misspelt" '"edges":' '"edgs":' "'edgs'" "'edges'"
refuse_mistake "a parameter misspelt" '"num_anchors": 128' '"num_anchor": 128' "'num_anchor'" "'num_anchors'"
refuse_mistake "a stage type misspelt" '"token_packer"' '"token_paker"' "'token_paker'" "'token_packer'"
refuse_mistake "a port misspelt" 'data.documents   -> batch.documents' 'data.documents   -> batch.document' \
  "'(batch\.)?document'" "'documents'"
refuse_mistake "a stage twice" '"extract":     {' '"target":      {' "'target'" "twice|duplicate|already"
refuse_mistake "types that do not match" 'extract.features -> pack.features' 'target.taps -> pack.features' \
  "taps" "feature_pack"
refuse_mistake "capacity 0" '"items": 4,' '"items": 0,' "0" "at least 1|from 1"
refuse_mistake "capacity 2.5" '"items": 4,' '"items": 2.5,' "2\.5" "integer|whole number"
refuse_mistake "negative steps" '"steps": 1600' '"steps": -5' "-5" "at least|from [01]"
refuse "a missing file" "graphs/trian.json" -- "graphs/trian\.json" "train\.json"
refuse_mistake "a trailing comma" '"drafter.metrics  -> postprocess.metrics"' \
  '"drafter.metrics  -> postprocess.metrics",' "trailing comma"
refuse "a folder instead of a file" "graphs" -- "graphs" "folder|directory"

refuse_mistake "no path for the data" '"path": "configs/tiny/train.jsonl", "max_length"' '"max_length"' "/stages/data" "'path' is missing"
refuse_mistake "a data file misspelt" 'configs/tiny/train.jsonl", "max' 'configs/tiny/tarin.jsonl", "max' \
  "/stages/data/params/path" "did you mean 'configs/tiny/train.jsonl'"
refuse_mistake "more ready than there is room" '"min_ready": 4' '"min_ready": 80' "/stages/queue/params/min_ready" "80" "capacity.*60"
refuse_set "less room than must be ready" "queue.capacity=2" "/stages/queue/params/min_ready" "found 4" "2"
refuse_set "what this version cannot do" "drafter.attention=fused" "/stages/drafter/params/attention" "this version" "dense \| sliced"
refuse_set "what this version cannot do" "target.precision=fp8" "/stages/target/params/precision" "this version" "bf16"
refuse_set "what this version cannot do" "target.graphs=true" "/stages/target/params/graphs" "this version" "false"
refuse_set "replicas of a stage that keeps something" "data.replicas=2" "/stages/data/replicas" "allowed: 1" "keeps something"
refuse_set "a policy that would skip what cannot be skipped" "batch.on_error.then=skip" "/stages/batch/on_error" "keeps something"
refuse_set "a misspelt fault" "pack.inject.trow_at=7" "/stages/pack/inject" "did you mean .throw_at."
refuse_set "a precision that is not the run's" "target.precision=bf16" "/stages/target/params/precision" "fp32"
refuse_set "a precision that the CPU has not" "run.precision=bf16" "/run/precision" "fp32"
refuse_set "a device that is not there" "run.device=cuda:99" "/run/device" "cuda:99"
refuse_set "a device that is not there" "drafter.device=cuda:99" "/stages/drafter/device" "cuda:99"
refuse_set "a loss without what it is measured against" "drafter.loss.type=kl" "/stages/drafter/params/loss/type" "target\.final_hidden"
refuse_set "no steps" "run.steps=0" "/run/steps" "found 0" "at least 1"
refuse_set "a moment misspelt" 'run.evaluate.at=["strt"]' "/run/evaluate/at" "did you mean 'start'"
refuse_set "a held-out file misspelt" "run.evaluate.path=configs/tiny/heldot.jsonl" "/run/evaluate/path" "did you mean 'configs/tiny/heldout.jsonl'"
refuse_set "a training file misspelt" "run.evaluate.training_path=configs/tny/train.jsonl" "/run/evaluate/training_path" \
  "did you mean 'configs/tiny/train.jsonl'"
refuse_set "more prompts than there are" "run.evaluate.prompts=100000" "/run/evaluate/prompts" "found 100000" "at most"
refuse_set "a section of models misspelt" "models.targt.path=configs/tiny/target" "/models" "did you mean 'target'"
refuse_set "a layout misspelt" "models.drafter.layers=slidng" "/models/drafter/layers" "did you mean 'sliding'"
refuse_set "the last layer tapped" "models.drafter.taps=[1,5]" "/models/drafter/taps" "0 to 4"
refuse_set "taps that do not ascend" "models.drafter.taps=[3,1]" "/models/drafter/taps" "ascend"
refuse "a window below the block" graphs/train.json --set models.drafter.layers=sliding --set models.drafter.window=4 -- \
  "--set models.drafter.window=4: /models/drafter/window" "at least block_size, 8"
refuse_set "a model folder misspelt" "models.target.path=configs/tiny/targt" "/models/target/path" "did you mean 'configs/tiny/target'"
refuse_set "a file instead of a model folder" "models.target.path=configs/tiny/drafter.json" "/models/target/path" "is a file"
refuse_set "a drafter's file misspelt" "models.drafter.config=configs/tiny/draftr.json" "/models/drafter/config" \
  "did you mean 'configs/tiny/drafter.json'"
refuse "a stage misspelt" graphs/train.json --set drafer.fc=split -- "--set drafer" "did you mean 'drafter'"
refuse "a type misspelt" graphs/train.json --swap data=synthtic -- "--swap data" "did you mean 'synthetic'"
refuse "an overlay misspelt" graphs/train.json --overlay graphs/trian.json -- "overlay file 'graphs/trian.json'" "did you mean 'graphs/train.json'"
refuse "several mistakes at once" graphs/train.json --set drafter.fc=spilt --set queue.capacity=2 --set data.path=x.jsonl \
  --set models.drafter.taps=[9] --set run.evaluate.path=y.jsonl -- "5 mistakes" "'split'" "capacity" "x\.jsonl" "taps" "y\.jsonl"

refuse_rows "a row that is no JSON" '{"messages": [}\n' "rows\.jsonl:1: not JSON at column 15"
refuse_rows "a role that is none" '{"messages": [{"role": "usr", "content": "a"}]}\n' "rows\.jsonl:1: " "'usr'" "user"
refuse_rows "no messages" '{"messages": []}\n' "rows\.jsonl:1: " "empty"
refuse_rows "no rows" '\n\n' "no rows"
refuse_rows "nothing to train on" '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "loss": false}]}\n' \
  "supervised" "<\|im_start\|>user"

refuse_target "a config.json that is no JSON" "echo '{' >config.json" "config\.json:[0-9]+:[0-9]+: not JSON"
refuse_target "another architecture" "sed -i s/Qwen3ForCausalLM/LlamaForCausalLM/ config.json" "LlamaForCausalLM" "Qwen3ForCausalLM"
refuse_target "a tensor of another shape" "sed -i 's/\"intermediate_size\": 384/\"intermediate_size\": 256/' config.json" \
  "shape \[384, 128\]" "\[256, 128\]"
refuse_target "a layer that is missing" "sed -i 's/\"num_hidden_layers\": 6/\"num_hidden_layers\": 7/' config.json" "layers\.6\..* is missing"
refuse_target "no weights" "rm model.safetensors" "no weights" "model\.safetensors"
refuse_target "weights that are cut off" "truncate -s 100000 model.safetensors" "model\.safetensors"
refuse_target "no tokenizer" "rm tokenizer.json" "tokenizer\.json"
refuse_target "a tokenizer that is no JSON" "echo '[' >tokenizer.json" "tokenizer\.json:[0-9]+:[0-9]+: not JSON"
refuse_target "the tokenizer of another model" \
  "sed -i 's/\"vocab_size\": 1024/\"vocab_size\": 512/' config.json" "tokenizer" "another model|shape"
rm -rf "$work/target" && cp -r configs/tiny/target "$work/target" && sed -i 's/im_start/start/' "$work/target/tokenizer_config.json"
refuse "another chat template, which only the rows of the evaluation need" graphs/train.json --set "models.target.path=$work/target" -- \
  "/run/evaluate/path: " "tokenizer_config\.json: " "chat template"

refuse_drafter "a key misspelt in the drafter's file" '"head_dim"' '"haed_dim"' "did you mean 'head_dim'"
refuse_drafter "another size than the target's" '"hidden_size": 128' '"hidden_size": 64' "hidden_size: found 64" "128"
refuse_drafter "a mask token that every chat contains" '"mask_token_id": 3' '"mask_token_id": 1' "<\|im_start\|>" "a chat: "
refuse_drafter "a mask token that ends turns" '"mask_token_id": 3' '"mask_token_id": 2' "end-of-turn"
refuse_drafter "a mask token beyond the vocabulary" '"mask_token_id": 3' '"mask_token_id": 4000' "0 to 1023"

echo
if ((failures > 0)); then
  echo "$failures of $number wrong graphs were not refused as they should be"
  exit 1
fi
echo "all $number wrong graphs refused"
