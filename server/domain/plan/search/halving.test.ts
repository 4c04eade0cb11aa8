import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { type Climber, decideStep, Halving, listRungs } from "./halving.ts";

const rule = (kind: Halving["kind"]) => Halving.parse({ kind, least: 1, most: 9, factor: 3, numEntered: 9 });

it("has rungs that grow by the factor, the last the whole", () => {
  expect(listRungs({ least: 5, most: 60, factor: 3 })).toEqual([5, 15, 45, 60]);
  expect(listRungs({ least: 60, most: 60, factor: 3 })).toEqual([60]);
  expect(Halving.safeParse({ kind: "asha", least: 9, most: 3, numEntered: 1 }).error?.issues[0]?.path).toEqual([
    "most",
  ]);
});

/** Simulates one worker, with given losses per configuration, and returns the search's steps. */
function climb(kind: Halving["kind"], losses: readonly number[]) {
  const climbers: Climber[] = [];
  const taken: string[] = [];
  for (;;) {
    const step = decideStep(rule(kind), climbers);
    if (step.do === "wait") throw new Error("nobody runs");
    if (step.do === "end") return { climbers, taken };
    const number = step.do === "enter" ? climbers.length : step.number;
    const loss = losses[number] ?? NaN;
    const before = climbers[number]?.losses ?? [];
    climbers[number] = { number, losses: [...before, loss], isRunning: false };
    taken.push(`${step.do} ${number}`);
  }
}

describe("one worker", () => {
  it("halves 9 to 3 to 1 where it waits for full rungs", () => {
    const { climbers, taken } = climb("halving", [5, 3, 8, 1, 9, 2, 7, 6, 4]);
    expect(taken.slice(9)).toEqual(["promote 3", "promote 5", "promote 1", "promote 3"]);
    expect(climbers.map(({ losses }) => losses.length)).toEqual([1, 2, 1, 3, 1, 2, 1, 1, 1]);
  });

  it("promotes at once where it does not wait, and so promotes some that fall behind later", () => {
    const { taken } = climb("asha", [5, 3, 8, 1, 9, 2, 7, 6, 4]);
    expect(taken.slice(0, 6)).toEqual(["enter 0", "enter 1", "enter 2", "promote 1", "enter 3", "promote 3"]);
  });

  it.each([Infinity, NaN])("never promotes what has collapsed or diverged (%d)", (loss) => {
    const { taken } = climb(
      "asha",
      Array.from({ length: 9 }, () => loss),
    );
    expect(taken).toEqual(Array.from({ length: 9 }, (_, i) => `enter ${i}`));
  });
});

it("sorts who was not measured behind all others", () => {
  const climbers = [NaN, NaN, 2, NaN, 1, NaN].map((loss, number) => ({ number, losses: [loss], isRunning: false }));
  expect(decideStep(rule("asha"), climbers)).toMatchObject({ do: "promote", number: 4 });
});

it("waits while somebody runs whose result may promote another", () => {
  const climbers = Array.from({ length: 9 }, (_, number) => ({
    number,
    losses: number < 8 ? [number] : [],
    isRunning: number === 8,
  }));
  expect(decideStep(rule("halving"), climbers)).toEqual({ do: "wait" });
  expect(decideStep(rule("asha"), climbers)).toMatchObject({ do: "promote", number: 0, rung: 1 });
});

it("takes the best to the top whatever the order, where a configuration's place never changes", () => {
  for (let seed = 0; seed < 50; seed++) {
    const rng = split(seed, "orders");
    const losses = Array.from({ length: 9 }, () => rng.next());
    const best = losses.indexOf(Math.min(...losses));
    expect(climb("asha", losses).climbers[best]?.losses.length).toBe(3);
  }
});
