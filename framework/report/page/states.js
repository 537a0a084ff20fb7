// What the slots of a stage do with their time. `seconds` is the key of report.json, `series` that of the strips.
const STATES = [
  {seconds: "busy_s", series: "busy", label: "busy", colour: "--busy"},
  {seconds: "gpu_wait_s", series: "gpu_wait", label: "waits for the device", colour: "--gpu"},
  {seconds: "blocked_out_s", series: "blocked_out", label: "blocked by a full edge", colour: "--blocked"},
  {seconds: "starved_in_s", series: "starved_in", label: "starved of input", colour: "--starved"},
  {seconds: "dispatch_s", series: "dispatch", label: "ready, no worker", colour: "--dispatch"},
  {seconds: "unaccounted_s", series: "unaccounted", label: "unaccounted", colour: "--unaccounted"},
  {seconds: "ended_s", series: "ended", label: "not begun or ended", colour: "--ended"},
];
