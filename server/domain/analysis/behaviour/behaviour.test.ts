import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { readTrace } from "#trainer/spec/trace.ts";
import { traceFlow } from "./flows.ts";
import { type Episode, type EpisodeGroup, findTranscripts } from "./groupEpisodes.ts";
import { patternsIn, tellPatterns } from "./patterns.ts";
import { compareTransitions } from "./transitions.ts";

type Made = { run?: string; seed?: number; task?: number };

function episodeOf(trace: string, { run = "run 1", seed = 0, task = 0 }: Made = {}): Episode {
  return {
    runId: run,
    method: "GRPO",
    seed,
    iteration: 10,
    task,
    sample: 0,
    trace,
    isStored: true,
    ...readTrace(trace),
  };
}

/** Draws episodes of two groups from a chain of actions a, b, c. In the second group, a follows b with `odds` times the odds. */
function drawStudy(name: string, odds: number): EpisodeGroup[] {
  const [reference, other] = [0, 1].map((group) =>
    Array.from({ length: 4 }, (_, seed) =>
      Array.from({ length: 40 }, (_, task) => {
        const rng = split(name, group, seed, task);
        // Tasks and training seeds differ in how likely the action is, equally in both groups.
        const shift = split(name, "task", task).normal() * 0.5 + split(name, "seed", seed).normal() * 0.2;
        const letters = Array.from({ length: 9 }, () => "").reduce((text: string) => {
          const last = text.at(-1) ?? "c";
          const boost = last === "b" && group === 1 ? Math.log(odds) : 0;
          const p = 1 / (1 + Math.exp(-(-0.7 + shift + boost)));
          return text + (rng.next() < p ? "a" : rng.next() < 0.5 ? "b" : "c");
        }, "");
        return episodeOf(`${letters}-`, { run: `run ${seed}`, seed, task });
      }),
    ).flat(),
  );
  return [
    { title: "Success", episodes: reference ?? [] },
    { title: "Failure", episodes: other ?? [] },
  ];
}

const numWithFindings = (studies: readonly EpisodeGroup[][]) =>
  studies.filter((groups) => compareTransitions(groups).some(({ q }) => q < 0.05)).length;

describe("transitions that separate two groups of episodes", () => {
  it("are found in at most 5 % of 200 studies without a difference", { tags: "soak" }, () => {
    const studies = Array.from({ length: 200 }, (_, i) => drawStudy(`null ${i}`, 1));
    expect(numWithFindings(studies)).toBeLessThanOrEqual(10);
  });

  it("are found in at least 36 of 40 studies with one, and first in the list", () => {
    const studies = Array.from({ length: 40 }, (_, i) => drawStudy(`planted ${i}`, 4));
    const found = studies.filter((groups) => {
      const [first] = compareTransitions(groups);
      return first !== undefined && first.q < 0.05 && first.from === "b" && first.to === "a";
    });
    expect(found.length).toBeGreaterThanOrEqual(36);
  });

  it("have the odds ratio of the counted turns", () => {
    const times = (n: number, trace: string, task: number) =>
      Array.from({ length: n }, (_, sample) => ({ ...episodeOf(trace, { task: task + (sample % 3) }), sample }));
    const groups = [
      { title: "Success", episodes: [...times(10, "ab+", 0), ...times(20, "ac+", 3)] },
      { title: "Failure", episodes: [...times(20, "ab-", 6), ...times(10, "ac-", 9)] },
    ];
    const found = compareTransitions(groups).find(({ from, to }) => from === "a" && to === "b");
    expect(found?.reference).toEqual({ hits: 10, trials: 30 });
    expect(found?.other).toEqual({ hits: 20, trials: 30, title: "Failure" });
    expect(found?.ratio).toBeCloseTo(4, 12);
  });
});

describe("flows of actions", () => {
  const episodes = [episodeOf("sib+"), episodeOf("sib+"), episodeOf("snnnn~"), episodeOf("sx-")];

  it("conserve episodes: what enters a node leaves it, and all begin and end", () => {
    const { nodes, links } = traceFlow(episodes, { depth: 3, threshold: 0 });
    const sum = (at: (link: (typeof links)[number]) => boolean) =>
      links.filter(at).reduce((total, { share }) => total + share, 0);
    for (const [i, { turn }] of nodes.entries()) {
      const [entering, leaving] = [sum(({ target }) => target === i), sum(({ source }) => source === i)];
      if (turn === 1) expect(leaving).toBeCloseTo(1, 12);
      else if (leaving > 0) expect(entering).toBeCloseTo(leaving, 12);
    }
    expect(nodes.filter(({ type }) => type === "later")).toEqual([{ turn: 4, type: "later" }]);
    const success = nodes.findIndex(({ type }) => type === "success");
    expect(sum(({ target }) => target === success)).toBeCloseTo(0.5, 12);
  });

  it("join types below the threshold within a turn", () => {
    const { nodes } = traceFlow(episodes, { depth: 3, threshold: 0.3 });
    expect(nodes.filter(({ turn }) => turn === 2)).toEqual([
      { turn: 2, type: "i" },
      { turn: 2, type: "other" },
    ]);
  });
});

describe("patterns of the paper's Appendix F", () => {
  const found = (environment: string, trace: string) =>
    patternsIn(environment).flatMap(({ name, isIn }) => (isIn(readTrace(trace)) ? [name] : []));

  it.each([
    ["webshop", "snnpib+", ["pagination loop"]],
    ["webshop", "snnib+", []],
    ["webshop", "sipI*P*b-", ["oscillation", "premature purchase"]],
    // In new states, alternating types lead somewhere.
    ["webshop", "sioib+", []],
    // A purchase in the last turn without success is one; the limit of turns is none.
    ["webshop", "sib~", []],
    ["alfworld", "gggggt+", ["long navigation"]],
    ["alfworld", "ggtgG*t~", []],
    ["sokoban", "udU*D*~", ["oscillation"]],
  ])("in %s, %s", (environment, trace, names) => {
    expect(found(environment, trace)).toEqual(names);
  });

  it("are counted by episode", () => {
    const episodes = ["sib-", "sib+", "snnnnn~", "sib-"].map(readTrace);
    expect(tellPatterns("webshop", episodes)).toBe(
      "of 4 episodes, pagination loop in 1 (25 %), oscillation in 0 (0 %), premature purchase in 2 (50 %)",
    );
  });
});

it("transcripts of a transition are up to three stored ones that contain it", () => {
  const episodes = ["sib+", "sx-", "sib-", "sib+", "sib+"].map((trace, task) => episodeOf(trace, { task }));
  const groups = [
    { title: "Success", episodes: episodes.map((one, i) => (i === 0 ? { ...one, isStored: false } : one)) },
  ];
  const found = findTranscripts(groups[0]?.episodes ?? [], ({ trace }) => trace.includes("ib"));
  expect(found.map(({ task }) => task)).toEqual([2, 3, 4]);
  expect(traceFlow(episodes, { depth: 2, threshold: 0 }).links[0]?.transcripts).toHaveLength(3);
});
