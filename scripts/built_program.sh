# Sourced by the scripts that check the built program, with its path as the caller typed it, or nothing:
#   . "$(dirname "${BASH_SOURCE[0]}")/built_program.sh" "${1:-}"
# Goes to the root of the repository and sets `binary`; ends with 2 where there is none.
binary=${1:-build/release/dflash-graph}
if [[ -n "${1:-}" && "$binary" != /* ]]; then binary="$PWD/$binary"; fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ ! -x "$binary" ]]; then
  echo "no binary at '$binary': run scripts/quickstart.sh first, or name one" >&2
  exit 2
fi
