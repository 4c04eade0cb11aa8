import { describe, expect, it } from "vitest";
import { alarmOf, describeFacts, describeFall, nameAlarm, nameOutcome, toAlarm, toOutcome } from "./facts.ts";
import type { StatusChange } from "./online.ts";

const changes = (...all: [number, StatusChange["status"]][]) =>
  all.map(([iteration, status]) => ({ iteration, status }));

describe("the alarm of a run", () => {
  it.each([
    ["nothing read", changes(), { word: null, iteration: null }],
    ["too few iterations", changes([0, "warmup"]), { word: null, iteration: null }],
    ["judged, and well", changes([0, "warmup"], [10, "healthy"]), { word: "none", iteration: null }],
    [
      "a warning that passed",
      changes([0, "healthy"], [12, "warning"], [27, "healthy"]),
      { word: "warning", iteration: 12 },
    ],
    [
      "unstable once",
      changes([0, "healthy"], [12, "warning"], [29, "unstable"], [40, "healthy"]),
      { word: "unstable", iteration: 29 },
    ],
    [
      "collapsed",
      changes([0, "warmup"], [29, "unstable"], [44, "collapsed"], [60, "recovered"]),
      { word: "collapsed", iteration: 29 },
    ],
  ])("is the worst that was said, from its first alarm on: %s", (_, said, expected) =>
    expect(alarmOf(said)).toEqual(expected),
  );

  it("is judged later while the run goes on, and never once it is over", () => {
    const early = alarmOf(changes([0, "warmup"]));
    expect([toAlarm(early, false).word, toAlarm(early, true).word]).toEqual(["not judged yet", "not judged"]);
    expect([toAlarm(null, false).word, toAlarm(null, true).word]).toEqual(["not judged yet", "not judged"]);
  });

  it("has one name everywhere", () => {
    const names = [
      nameAlarm({ word: "none", iteration: null }),
      nameAlarm({ word: "warning", iteration: 12 }),
      nameAlarm({ word: "unstable", iteration: 1029 }),
      nameAlarm({ word: "collapsed", iteration: 29 }),
      nameAlarm({ word: "collapsed", iteration: null }),
      nameAlarm({ word: "not judged yet", iteration: null }),
    ];
    expect(names).toEqual([
      "No alarm",
      "Warning at 12",
      "Unstable at 1,029",
      "Collapsed, first alarm at 29",
      "Collapsed",
      "Not judged yet",
    ]);
  });
});

describe("hindsight of a run", () => {
  it("is awaited while there is no label, and not judged where there will be none", () => {
    expect([toOutcome(null, true).word, toOutcome(null, false).word]).toEqual(["not judged yet", "not judged"]);
    expect(toOutcome({ kind: "notJudged" }, false).word).toBe("not judged");
  });

  it("says where a run collapsed, and whether it came back", () => {
    const fall = { from: 0.63, to: 0.31, metric: "rollout/successRate" };
    const fallen = toOutcome({ kind: "collapseTerminal", collapseStep: 36, fall }, false);
    expect(fallen).toEqual({ word: "collapsed", iteration: 36, fall });
    expect(nameOutcome(fallen)).toBe("Collapsed at 36");
    expect(nameOutcome(toOutcome({ kind: "collapseRecovered", collapseStep: 36 }, false))).toBe(
      "Collapsed at 36, recovered",
    );
    expect(nameOutcome(toOutcome({ kind: "ambiguous" }, false))).toBe("Unclear");
  });
});

it("says the worst of a run in a line", () => {
  const fall = { from: 0.634, to: 0.311, metric: "evaluation/successRate" };
  const fallen = toOutcome({ kind: "collapseTerminal", collapseStep: 36, fall }, false);
  const healthy = toOutcome({ kind: "healthy" }, false);
  const lines = [
    describeFacts({ alarm: { word: "collapsed", iteration: 29 }, hindsight: fallen }),
    describeFacts({ alarm: { word: "none", iteration: null }, hindsight: fallen }),
    describeFacts({ alarm: { word: "unstable", iteration: 29 }, hindsight: healthy }),
    describeFacts({ alarm: { word: "not judged yet", iteration: null }, hindsight: toOutcome(null, true) }),
  ];
  expect(lines).toEqual([
    "Collapsed at 36: success 63 → 31 %; first alarm at 29",
    "Collapsed at 36: success 63 → 31 %; no alarm",
    "Healthy in hindsight; alarm: unstable at 29",
    "Alarm: not judged yet",
  ]);
  expect(describeFall({ from: 4.2, to: -1, metric: "rollout/returnMean" })).toBe("return (training) 4.20 → −1.00");
});

describe("a label without a success rate", () => {
  const healthy = { kind: "healthy" } as const;
  it.each([
    [["rollout/returnMean"], "Healthy, judged by reward"],
    [["rollout/returnMean", "evaluation/returnMean", "policy/entropy"], "Healthy, judged by reward"],
    [["rollout/returnMean", "rollout/successRate"], "Healthy"],
    [["rollout/score"], "Healthy"],
    [[], "Healthy"],
  ])("names what it was judged by: %j", (keys, text) => {
    expect(nameOutcome(toOutcome(healthy, false, keys))).toBe(text);
  });

  it("is not said of a run that is not judged", () => {
    expect(nameOutcome(toOutcome({ kind: "notJudged" }, false, ["rollout/returnMean"]))).toBe("Not judged");
  });
});
