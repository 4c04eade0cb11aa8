import { expect, it } from "vitest";
import { reportSurvival, type WatchedRun } from "#server/domain/stability/report/survival.ts";
import { formatLogRank } from "./formatLogRank.ts";

const run = (group: string, seed: number, time: number, isEvent: boolean): WatchedRun => {
  return { runId: `${group} ${seed}`, group, duration: { time, isEvent }, watched: 100, hours: 1 };
};
const say = (runs: readonly WatchedRun[]) => {
  const { groups, baseline } = reportSurvival(runs, "GRPO");
  const others = groups.filter(({ group }) => group !== baseline);
  return others.map((group) =>
    formatLogRank(
      group,
      groups.find((one) => one.group === baseline),
    ),
  );
};

it("says that nobody collapsed only where nobody did", () => {
  const spared = [run("GRPO", 0, 100, false), run("GSPO", 0, 100, false)];
  expect(say(spared)).toEqual(["no collapse in either"]);
});

it("says that two groups of which all collapsed at once cannot be tested, not that none collapsed", () => {
  const together = ["GRPO", "GSPO"].flatMap((group) => [run(group, 0, 40, true), run(group, 1, 40, true)]);
  expect(say(together)).toEqual(["not testable"]);
});

it("prints p where there is one", () => {
  const apart = [
    run("GRPO", 0, 10, true),
    run("GRPO", 1, 20, true),
    run("GSPO", 0, 30, true),
    run("GSPO", 1, 40, true),
  ];
  expect(say(apart)[0]).toMatch(/^0\.\d{3}$/);
});
