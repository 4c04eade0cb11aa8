import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { type RungTrial, decideStep, listRungs } from "./halving.ts";

const rule = { rungs: listRungs({ least: 1, most: 9, factor: 3 }), factor: 3, numEntered: 9 };

it("has rungs that grow by the factor, the last the whole", () => {
  expect(listRungs({ least: 5, most: 60, factor: 3 })).toEqual([5, 15, 45, 60]);
  expect(listRungs({ least: 60, most: 60, factor: 3 })).toEqual([60]);
});

/** Simulates one worker, with given losses per configuration, and returns the search's steps. */
function search(losses: readonly number[]) {
  const trials: RungTrial[] = [];
  const taken: string[] = [];
  for (;;) {
    const step = decideStep(rule, trials);
    if (step.do === "wait") throw new Error("nobody runs");
    if (step.do === "end") return { trials, taken };
    const number = step.do === "enter" ? trials.length : step.number;
    const loss = losses[number] ?? NaN;
    const before = trials[number]?.losses ?? [];
    trials[number] = { number, losses: [...before, loss], isRunning: false };
    taken.push(`${step.do} ${number}`);
  }
}

describe("one worker", () => {
  it("promotes at once where it does not wait, and so promotes some that fall behind later", () => {
    const { taken } = search([5, 3, 8, 1, 9, 2, 7, 6, 4]);
    expect(taken.slice(0, 6)).toEqual(["enter 0", "enter 1", "enter 2", "promote 1", "enter 3", "promote 3"]);
  });

  it.each([Infinity, NaN])("never promotes what has collapsed or diverged (%d)", (loss) => {
    const { taken } = search(Array.from({ length: 9 }, () => loss));
    expect(taken).toEqual(Array.from({ length: 9 }, (_, i) => `enter ${i}`));
  });
});

it("sorts who was not measured behind all others", () => {
  const trials = [NaN, NaN, 2, NaN, 1, NaN].map((loss, number) => ({ number, losses: [loss], isRunning: false }));
  expect(decideStep(rule, trials)).toMatchObject({ do: "promote", number: 4 });
});

it("promotes the best while another configuration runs, and waits while all run", () => {
  const trials = Array.from({ length: 9 }, (_, number) => ({
    number,
    losses: number < 8 ? [number] : [],
    isRunning: number === 8,
  }));
  expect(decideStep(rule, trials)).toMatchObject({ do: "promote", number: 0, rung: 1 });
  const running = trials.map((one) => ({ ...one, losses: [], isRunning: true }));
  expect(decideStep(rule, running)).toEqual({ do: "wait" });
});

it("takes the best to the top whatever the order, where a configuration's place never changes", () => {
  for (let seed = 0; seed < 50; seed++) {
    const rng = split(seed, "orders");
    const losses = Array.from({ length: 9 }, () => rng.next());
    const best = losses.indexOf(Math.min(...losses));
    expect(search(losses).trials[best]?.losses.length).toBe(3);
  }
});
