// Round times along an axis. Beyond two minutes minutes and hours are rounder than powers of ten.
const SHORT_STEPS = [1, 2, 5, 10];
const LONG_STEPS = [30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200];
const LONG = 120;
const DAY = 86400;

// The step that cuts a length of seconds into six parts or fewer.
const timeStep = (length) => {
  const least = length / 6;
  if (length > LONG) return LONG_STEPS.find((step) => step >= least) || Math.ceil(least / DAY) * DAY;
  const power = 10 ** Math.floor(Math.log10(least));
  return SHORT_STEPS.map((factor) => factor * power).find((step) => step >= least * 0.999);
};

const timeTicks = (from, to) => {
  const step = timeStep(to - from);
  const ticks = [];
  for (let n = Math.ceil(from / step); n * step <= to + step * 1e-6; n += 1) ticks.push(n * step);
  return ticks;
};

// A time on an axis of that length: "40.0 ms"; "1m30s", "2 min", "1h30m" where it is long.
const timeText = (seconds, length) => {
  const whole = Math.round(seconds);
  if (length <= LONG || whole < 60) return durationText(Number(seconds.toPrecision(6)));
  if (whole % 3600 === 0) return `${whole / 3600} h`;
  if (length < 7200 && whole % 60 === 0) return `${whole / 60} min`;
  return whole < 7200 && length < 7200 ?
      `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, "0")}s` :
      `${Math.floor(whole / 3600)}h${String(Math.round((whole / 60) % 60)).padStart(2, "0")}m`;
};
