// Numbers as a person reads them, in the words of report.txt.
const threeDigits = (value) => value.toFixed(Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2);

const durationText = (seconds) => {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "-";
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 999.5e-9) return `${(seconds * 1e9).toFixed(0)} ns`;
  if (size < 999.5e-6) return `${threeDigits(seconds * 1e6)} us`;
  if (size < 0.9995) return `${threeDigits(seconds * 1e3)} ms`;
  const whole = Math.round(size);
  const padded = (part) => String(Math.floor(part)).padStart(2, "0");
  if (whole < 120) return `${threeDigits(seconds)} s`;
  if (whole < 7200) return `${Math.floor(whole / 60)}m${padded(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${padded((whole / 60) % 60)}m`;
};

const bytesText = (bytes) => {
  if (Math.abs(bytes) < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (Math.abs(value) >= 1023.95 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
};

const rateText = (rate) => {
  const size = Math.abs(rate);
  if (size !== 0 && size < 0.0995) return String(Number(rate.toPrecision(3)));
  if (size < 999.5) return threeDigits(rate);
  if (size < 999.5e3) return `${threeDigits(rate / 1e3)}K`;
  if (size < 999.5e6) return `${threeDigits(rate / 1e6)}M`;
  return size < 1e13 ? `${threeDigits(rate / 1e9)}G` : rate.toExponential(2);
};

const percentText = (share) => {
  const percent = share * 100;
  if (!Number.isFinite(percent)) return "-";
  return percent >= 0.05 && percent < 0.95 ? `${percent.toFixed(1)} %` : `${Math.abs(percent).toFixed(0)} %`;
};

// A share so small that its digits matter.
const smallShareText = (share) => `${Number((share * 100).toPrecision(2))} %`;

const countText = (count, noun) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
const wholeText = (count) => Number(count).toLocaleString("en-US");
const fillText = (fill) => (fill === undefined ? "-" : fill.toFixed(1));

// A figure of unknown meaning: six digits.
const numberText = (value) => {
  if (value === null || value === undefined) return "not finite";
  const digits = Number(value.toPrecision(6));
  const isPlain = Number.isInteger(value) ? Math.abs(value) < 1e15 : Math.abs(value) >= 1000 && Math.abs(value) < 1e9;
  return isPlain ? (Number.isInteger(value) ? value : digits).toLocaleString("en-US") : String(digits);
};

const ratio = (part, whole) => (whole > 0 ? part / whole : 0);
const sum = (values) => values.reduce((total, value) => total + (value || 0), 0);
