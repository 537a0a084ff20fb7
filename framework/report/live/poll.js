// Asks the program how things stand, once a second; more often when its end is near, or it would be gone before.
const POLL_MS = 1000;
const POLL_NEAR_END_MS = 250;

const ask = async (path) => {
  const answer = await fetch(path, {cache: "no-store", signal: AbortSignal.timeout(5000)});
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
};

const drawLive = (run) => {
  const before = run.outcome ? null : lookBefore();
  drawLiveHead(run);
  drawMetrics(run);
  drawLiveStages(run, before);
  drawLiveEdges(run, before);
  drawLiveDevices(run, before);
};

const look = async () => {
  const run = await ask("status.json");
  if (keepLook(run)) keepHistory(await ask("history.json"));
  drawLive(run);
};

const poll = async () => {
  let failures = 0;
  for (;;) {
    try {
      await look();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures >= 2) showGone();
    }
    const last = latest();
    const nearEnd = last && last.phase === "finishing" && failures === 0;
    await new Promise((done) => setTimeout(done, nearEnd ? POLL_NEAR_END_MS : POLL_MS));
  }
};
poll();
