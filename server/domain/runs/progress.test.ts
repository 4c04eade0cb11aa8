import { expect, it } from "vitest";
import {
  countRuns,
  describeIteration,
  describeOpen,
  formatCounts,
  formatProgress,
  type Pace,
  progressOf,
  sumTrained,
  timeLeft,
} from "./progress.ts";

const run = (status: Parameters<typeof countRuns>[0][number]["status"], latestIteration = 0) => {
  return { status, latestIteration, iterations: 100 };
};

it("says what there is and nothing else", () => {
  expect(formatCounts(countRuns([run("failed"), run("running"), run("running")]))).toBe("2 running, 1 failed");
});

it("counts trained iterations as progress, and no run because it has started", () => {
  const share = (...runs: ReturnType<typeof run>[]) => formatProgress(progressOf(sumTrained(runs), countRuns(runs)));
  expect(share(run("running"), run("starting"), run("pending"), run("pending"))).toBe("0 %");
  expect(share(run("running", 50), run("finished", 100), run("pending"), run("pending"))).toBe("37 %");
  expect(share(), "a search before its first sample").toBe("0 %");
  expect(share(run("failed", 3), run("cancelled"), run("finished", 100))).toBe("100 %");
  expect(share(run("finished", 100), run("running", 99.9999))).toBe("99 %");
  expect(share(run("running", 100), run("running", 100)), "the last evaluation").toBe("99 %");
});

it("counts runs that are over where nobody knows how far the others go", () => {
  const runs = [run("running", 40), run("finished", 30)].map((one) => ({ ...one, iterations: 0 }));
  expect(progressOf(sumTrained(runs), countRuns(runs))).toBe(0.5);
});

it("counts runs that are over where one of the others trains without a budget", () => {
  const unlimited = { ...run("running", 900), iterations: 0 };
  const runs = [unlimited, run("running", 50), run("pending"), run("finished", 100)];
  expect(sumTrained(runs)).toEqual({ iterationsDone: 1050, iterationsLeft: null });
  expect(progressOf(sumTrained(runs), countRuns(runs))).toBe(0.25);
  // A run that spends its whole budget on demonstrations has budget 0, which is no unknown budget.
  const untrained = { ...run("running"), iterations: 0 };
  expect(sumTrained([untrained, run("running", 50)])).toEqual({ iterationsDone: 50, iterationsLeft: 50 });
});

it("says how many runs may still change a result, by the same counts", () => {
  expect(describeOpen(countRuns([run("running"), run("cancelled")]))).toBe(
    "Provisional: 1 of 2 runs still in progress.",
  );
  expect(describeOpen(countRuns([run("running"), run("pending")]))).toBe("Provisional: 2 runs still in progress.");
  expect(describeOpen(countRuns([run("finished"), run("failed")]))).toBe("");
});

it.each([
  [12, 48, "iteration 12 of 48"],
  [1200, 0, "iteration 1,200"],
  [0, 0, "no iteration measured"],
])("says how far %d of %d iterations are", (latest, budget, text) => {
  expect(describeIteration(latest, budget)).toBe(text);
});

const none = { pending: 0, starting: 0, running: 0, unknown: 0, finished: 0, failed: 0, cancelled: 0 };
const pace: Pace = {
  intent: "run",
  counts: { ...none, finished: 2, running: 2, pending: 4 },
  iterationsDone: 100,
  iterationsLeft: 300,
  busyMs: 100_000,
};

it("is what the rest costs at the price so far, shared by those who run", () => {
  expect(timeLeft(pace, null)).toBe(150_000);
  expect(timeLeft({ ...pace, counts: { ...none, running: 1, starting: 4, unknown: 1 } }, null)).toBe(50_000);
  expect(timeLeft({ ...pace, iterationsLeft: 0 }, null)).toBe(0);
});

it("comes from the plan until 5 % is trained, and from the plan at the speed so far afterwards", () => {
  // Cloning took 60 s in each of two slots; the plan knows that no later run clones.
  const early: Pace = { ...pace, counts: { ...none, running: 2, pending: 6 }, iterationsDone: 4, iterationsLeft: 396 };
  expect(timeLeft({ ...early, busyMs: 130_000 }, null)).toBeUndefined();
  expect(timeLeft({ ...early, busyMs: 130_000 }, { doneMs: 50_000, leftMs: 200_000, speed: null })).toBe(200_000);
  const later = { ...early, iterationsDone: 40, iterationsLeft: 360, busyMs: 160_000 };
  expect(timeLeft(later, { doneMs: 80_000, leftMs: 90_000, speed: null })).toBe(180_000);
  // Recent iterations took half of the plan's time, so the slow cloning does not lengthen the rest.
  expect(timeLeft(later, { doneMs: 80_000, leftMs: 90_000, speed: 0.5 })).toBe(45_000);
});

it("is unknown where nothing runs, nothing was done, or no new run starts", () => {
  expect(timeLeft({ ...pace, counts: { ...none, pending: 8 } }, null)).toBeUndefined();
  expect(timeLeft({ ...pace, iterationsDone: 0 }, null)).toBeUndefined();
  expect(timeLeft({ ...pace, iterationsLeft: null }, null)).toBeUndefined();
  expect(timeLeft({ ...pace, intent: "pause" }, null)).toBeUndefined();
  expect(timeLeft({ ...pace, intent: "cancel" }, null)).toBeUndefined();
});
