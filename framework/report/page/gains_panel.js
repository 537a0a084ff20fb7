// What a faster stage would bring, by replay of what was recorded.
const gainBar = (gain, largest) =>
    el("div", {class: "gain"},
       el("i", {style: `width:${100 * ratio(Math.max(gain.times_as_fast - 1, 0), largest - 1)}%`}));

const drawGains = () => {
  const gains = report.what_if || [];
  if (!gains.length) return;
  const largest = Math.max(...gains.map((gain) => gain.times_as_fast), 1.01);
  const rows = gains.map(
      (gain) =>
          [gain.stage, `${numberText(gain.speedup)} × as fast`, `${gain.times_as_fast.toFixed(2)} × as fast`,
           withHover(
               gainBar(gain, largest),
               () => [`${gain.stage} ${numberText(gain.speedup)} times as fast: the whole run ${
                   numberText(gain.times_as_fast)} times as fast`])]);
  panel(
      "gains", "What if", "by replay of what was recorded",
      table(
          [
            {head: "if this stage were", kind: "name"}, {head: ""}, {head: "the run would be"}, {head: "", kind: "left"}
          ],
          rows, true));
};
