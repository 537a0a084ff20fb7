#!/usr/bin/env bash
# Runs twelve graphs with one mistake each. Each must end with exit code 2 and a message that names the place and what
# is allowed or meant, and leave no run directory behind. Prints the messages.
#
#   scripts/check_wrong_graphs.sh [BINARY]        default: build/release/dflash-graph
#
# Exit code 0: all were refused as they should be; 1: one was not; 2: no binary.
set -euo pipefail
start="$PWD"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary="${1:-build/release/dflash-graph}"
if [[ $# -gt 0 && "$binary" != /* ]]; then binary="$start/$binary"; fi
if [[ ! -x "$binary" ]]; then
  echo "no binary at '$binary': run scripts/quickstart.sh first, or name one" >&2
  exit 2
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failures=0
number=0

# Runs a graph file that must be refused: what is wrong with it, its path, then the extended regular expressions that
# the message must match. Standard input is not read.
refuse() {
  local title="$1" graph="$2" code=0 message pattern faults=()
  shift 2
  number=$((number + 1))
  message="$("$binary" run "$graph" --run-dir "$work/run" --set run.evaluate=false 2>&1 >"$work/stdout")" || code=$?
  [[ "$code" == 2 ]] || faults+=("exit code $code instead of 2")
  for pattern in "$@"; do
    grep -Eq -- "$pattern" <<<"$message" || faults+=("the message lacks /$pattern/")
  done
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
  refuse "$title" "$work/wrong.json" "$place" "$@"
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
refuse "a missing file" "graphs/trian.json" "graphs/trian\.json" "train\.json"
refuse_mistake "a trailing comma" '"drafter.metrics  -> postprocess.metrics"' \
  '"drafter.metrics  -> postprocess.metrics",' "trailing comma"
refuse "a folder instead of a file" "graphs" "graphs" "folder|directory"

echo
if ((failures > 0)); then
  echo "$failures of $number wrong graphs were not refused as they should be"
  exit 1
fi
echo "all $number wrong graphs refused"
