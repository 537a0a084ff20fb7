#!/usr/bin/env bash
# Opens report.html of runs in headless Chromium, at the widths of two laptops, light and dark, and of half a screen and a phone, and looks for what nobody should
# see: errors of scripts, requests to a network (the page forbids itself any, so each is an error), panels that were not drawn,
# anything that sticks out of its panel or of the window, boxes of the graph that overlap. Then reads trace.json as a trace viewer does.
#
#   scripts/check_report.sh [RUN...]        default: a short run of graphs/train.json by build/release/dflash-graph
#
# Exit code 0: all as promised; 1: some not; 2: no binary, no Chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v chromium >/dev/null || { echo "check_report: needs chromium; scripts/setup.sh --checks installs it" >&2; exit 2; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
runs=("$@")
if [ "${#runs[@]}" = 0 ]; then
  . scripts/built_program.sh ""
  "$binary" run graphs/train.json --quiet --run-dir "$work/run" --set run.steps=12 --set run.evaluate=false --set run.device=cpu
  runs=("$work/run")
fi

python3 - "$work" "${runs[@]}" <<'PYTHON'
import html, json, pathlib, re, subprocess, sys

work, runs = pathlib.Path(sys.argv[1]), [pathlib.Path(run) for run in sys.argv[2:]]
WIDTHS = ((1280, 800), (1440, 900))
NARROW = ((640, 900), (420, 900))  # where wide tables and the graph may be scrolled sideways
THEMES = {"light": 1, "dark": 0}

# Runs behind the page's own scripts and leaves what it found in the document.
LOOK = """<script>
const faults = [];
const name = (element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") || ""} '${(element.textContent || "").trim().slice(0, 40)}'`;
const drawn = Number(document.documentElement.dataset.drawn || 0);
if (drawn < 1) faults.push("the page was not drawn to its end");
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
for (const area of document.querySelectorAll(".scroll")) {
  if (window.innerWidth >= 1280 && area.scrollWidth > area.clientWidth + 1) faults.push(`a table in '${area.closest(".panel").id}' is ${area.scrollWidth} wide, its panel has ${area.clientWidth}`);
}
for (const panel of document.querySelectorAll(".panel")) {
  const around = panel.getBoundingClientRect();
  for (const element of panel.querySelectorAll("*")) {
    if (element.closest(".scroll") || element.closest("defs") || element.hidden || element.closest("[hidden]")) continue;
    const box = element.getBoundingClientRect();
    const out = box.width > 0 && box.height > 0 && (box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1 || box.bottom > around.bottom + 1);
    if (out) faults.push(`in '${panel.id}' sticks out: ${name(element)}`);
  }
}
for (const axis of document.querySelectorAll(".axis")) {
  const labels = [...axis.children].map((label) => label.getBoundingClientRect()).sort((a, b) => a.left - b.left);
  labels.forEach((label, i) => {
    if (i > 0 && label.left < labels[i - 1].right + 4) faults.push(`labels of an axis touch in '${axis.closest(".panel").id}'`);
  });
}
for (const text of document.querySelectorAll(".graph text")) {
  if (text.getBoundingClientRect().height < 8) faults.push("text of the graph is too small to be read");
}
const boxes = [...document.querySelectorAll(".graph .box")];
boxes.forEach((one, i) => {
  const a = one.getBoundingClientRect();
  for (const text of one.closest("g").querySelectorAll("text:not(.flag-text)")) {
    const t = text.getBoundingClientRect();
    if (t.left < a.left || t.right > a.right + 0.5 || t.bottom > a.bottom) faults.push(`text sticks out of its box: ${name(text)}`);
  }
  for (const other of boxes.slice(i + 1)) {
    const b = other.getBoundingClientRect();
    if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) faults.push("two boxes of the graph overlap");
  }
});
for (const canvas of document.querySelectorAll("canvas")) {
  if (canvas.width < 50 || canvas.height < 50) faults.push("a chart was not drawn");
}
document.body.replaceChildren(Object.assign(document.createElement("pre"), { textContent: JSON.stringify({ drawn, faults }) }));
</script>"""


def look(page, width, height, theme):
    copy = work / "page.html"
    copy.write_text(page.read_text(encoding="utf-8") + LOOK, encoding="utf-8")
    result = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         f"--user-data-dir={work / 'profile'}", f"--window-size={width},{height}", f"--blink-settings=preferredColorScheme={theme}",
         "--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000", "--dump-dom", copy.resolve().as_uri()],
        capture_output=True, text=True, timeout=180)
    faults = [line.split("CONSOLE", 1)[1] for line in result.stderr.splitlines() if "CONSOLE" in line]
    found = re.search(r"<pre>(.*)</pre>", result.stdout, re.S)
    if not found:
        return 0, faults + ["the page did not come to its end"]
    seen = json.loads(html.unescape(found.group(1)))
    return seen["drawn"], faults + seen["faults"]


def trace_faults(file):
    trace = json.loads(file.read_text(encoding="utf-8"))
    faults, slices, arrows = [], {}, {}
    for event in trace["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "X":
            slices.setdefault(track, []).append((round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000), event["name"]))
        elif event["ph"] in "sf":
            arrows.setdefault(event["id"], []).append((event["ph"], track, round(event["ts"] * 1000)))
    for track, list_ in slices.items():
        open_ = []
        for begin, end, name in sorted(list_, key=lambda slice_: (slice_[0], -slice_[1])):
            while open_ and open_[-1][1] <= begin:
                open_.pop()
            if open_ and end > open_[-1][1]:
                faults.append(f"trace: on track {track} '{name}' overlaps '{open_[-1][2]}'")
            open_.append((begin, end, name))
    spans = {track: sorted(slice_[:2] for slice_ in list_) for track, list_ in slices.items()}
    for number, ends in arrows.items():
        if [end[0] for end in ends] != ["s", "f"] or ends[0][2] > ends[1][2]:
            faults.append(f"trace: arrow {number} does not lead forwards from one end to the other")
        for _, track, at in ends:
            if not any(begin <= at <= end for begin, end in spans.get(track, [])):
                faults.append(f"trace: arrow {number} hangs in the air at {at} ns")
    return len(trace["traceEvents"]), faults


failed = False
for run in runs:
    for width, height in WIDTHS + NARROW:
        for theme, setting in THEMES.items() if (width, height) in WIDTHS else [("light", 1)]:
            drawn, faults = look(run / "report.html", width, height, setting)
            failed = failed or bool(faults)
            print(f"report: {run} {width}x{height} {theme}: {drawn} panels, {'ok' if not faults else str(len(faults)) + ' faults'}", flush=True)
            for fault in sorted(set(faults))[:20]:
                print(f"  {fault}")
    if (run / "trace.json").exists():
        events, faults = trace_faults(run / "trace.json")
        failed = failed or bool(faults)
        print(f"report: {run} trace: {events} events, {'ok' if not faults else str(len(faults)) + ' faults'}")
        for fault in faults[:20]:
            print(f"  {fault}")
sys.exit(1 if failed else 0)
PYTHON
