import { describe, expect, it } from "vitest";
import type { Advantage } from "#trainer/spec/dimensions.ts";
import { methods, type MethodName } from "#trainer/spec/method.ts";
import { tokenAdvantages, type AdvantageInputs } from "./advantage.ts";
import { adaptKlCoef, overlongCharge, turnScores, withTurnPenalty } from "./reward.ts";
import type { Row } from "./row.ts";
import { makeRow } from "./testing/makeRow.ts";
import { rowAdvantages } from "./testing/rowAdvantages.ts";

const kinds: Record<string, Advantage> = {
  group: methods.grpo.advantage,
  groupNoStd: methods.drGrpo.advantage,
  groupEpisodes: { kind: "group", scale: "groupStd", samples: "episodes" },
  rloo: methods.rloo.advantage,
  reinforcePlusPlus: methods.reinforcePlusPlus.advantage,
  reinforcePlusPlusBaseline: methods.reinforcePlusPlusBaseline.advantage,
  gigpo: methods.gigpo.advantage,
  empg: methods.empg.advantage,
};

const of = (rows: readonly Row[], name: MethodName, penalty = 0): number[] => [
  ...rowAdvantages(rows, methods[name].advantage, penalty),
];
const episodes = (...rewards: number[]): Row[] =>
  rewards.map((episodeReward, episode) => makeRow({ episode, episodeReward, reward: episodeReward }));

describe("a constant group", () => {
  // 0.1 has no exact binary form, so the computed mean of three such scores differs in the last bit.
  const constant = episodes(0.1, 0.1, 0.1);
  it.each(Object.entries(kinds))("has advantage 0: %s", (_, advantage) => {
    for (const x of rowAdvantages(constant, advantage, 0.1)) expect(Math.abs(x)).toBeLessThan(1e-12);
  });

  it("gets a signal from one invalid row all the same", () => {
    const rows = episodes(0, 0, 0, 0).map((row, i) => ({ ...row, isValid: i !== 2 }));
    const advantages = of(rows, "grpo", 0.1);
    expect(advantages).toEqual([0.5, 0.5, -1.5, 0.5].map((x) => expect.closeTo(x, 4)));
  });
});

describe("a group of one row", () => {
  const [single] = episodes(3);
  const rows = single ? [single, ...episodes(1, 2).map((row) => ({ ...row, group: 1 }))] : [];

  it("keeps its score under GRPO, Dr. GRPO and RLOO", () => {
    expect(of(rows, "grpo")[0]).toBeCloseTo(3, 5);
    expect(of(rows, "drGrpo")[0]).toBe(3);
    expect(of(rows, "rloo")[0]).toBe(3);
  });

  it("gets no step advantage from a state seen once", () => {
    const elsewhere = episodes(3, 1, 2).map((row, i) => ({ ...row, anchor: `state ${i}` }));
    expect(of(elsewhere, "gigpo")).toEqual(of(elsewhere, "grpo"));
  });
});

describe("group-relative advantages, worked by hand", () => {
  // The scores 1, 1, 4 have mean 2 and unbiased variance (1 + 1 + 4)/2 = 3.
  it("divide by the unbiased standard deviation", () => {
    const std = Math.sqrt(3) + 1e-6;
    expect(of(episodes(1, 1, 4), "grpo")).toEqual([-1, -1, 2].map((x) => expect.closeTo(x / std, 12)));
    expect(of(episodes(1, 1, 4), "drGrpo")).toEqual([-1, -1, 2]);
  });

  it("RLOO subtracts the mean of the others", () => {
    expect(of(episodes(1, 1, 4), "rloo")).toEqual([1 - 2.5, 1 - 2.5, 4 - 1].map((x) => expect.closeTo(x, 12)));
  });

  it("count an episode once with samples of episodes, and every turn otherwise", () => {
    const long = [0, 1, 2].map((turn) => makeRow({ turn, episodeReward: 0 }));
    const rows = [...long, makeRow({ episode: 1, episodeReward: 4 })];
    const centred = (samples: "turns" | "episodes"): number[] => [
      ...rowAdvantages(rows, { kind: "group", scale: "none", samples }, 0),
    ];
    expect(centred("turns")).toEqual([-1, -1, -1, 3]);
    expect(centred("episodes")).toEqual([-2, -2, -2, 2]);
  });

  it("do not mix groups", () => {
    const rows = [...episodes(0, 2), ...episodes(10, 30).map((row) => ({ ...row, group: 7 }))];
    expect(of(rows, "drGrpo")).toEqual([-1, 1, -10, 10]);
  });
});

describe("REINFORCE++", () => {
  const rows = episodes(0, 3).map((row, i) => ({ ...row, numTokens: i === 0 ? 2 : 1 }));

  it("whitens over tokens: long rows weigh more", () => {
    // The tokens' returns 0, 0, 3 have mean 1 and Bessel-corrected variance (1 + 1 + 4)/2 = 3.
    const std = Math.sqrt(3 + 1e-8);
    expect(of(rows, "reinforcePlusPlus")).toEqual([-1 / std, 2 / std].map((x) => expect.closeTo(x, 12)));
  });

  it("takes the group mean over rows before whitening", () => {
    // The tokens' centred returns −1.5, −1.5, 1.5 have mean −0.5 and variance (1 + 1 + 4)/2 = 3.
    const std = Math.sqrt(3 + 1e-8);
    const expected = [-1 / std, 2 / std].map((x) => expect.closeTo(x, 12));
    expect(of(rows, "reinforcePlusPlusBaseline")).toEqual(expected);
  });

  it("stays finite for no tokens and for one", () => {
    for (const numTokens of [0, 1]) {
      expect(of([makeRow({ episodeReward: 5, numTokens })], "reinforcePlusPlus")).toEqual([0]);
    }
  });
});

describe("parts of a mixture", () => {
  // Part b has ten times the rewards of part a; groups of both parts alternate in the batch.
  const rowsOf = (part: string, group: number, rewards: readonly number[]): Row[] =>
    episodes(...rewards).map((row, i) => ({ ...row, part, group, numTokens: i + 1, entropy: i / 4 }));
  const rows = [
    ...rowsOf("a", 0, [0, 1, 1]),
    ...rowsOf("b", 1, [0, 10, 0]),
    ...rowsOf("a", 2, [1, 0, 0]),
    ...rowsOf("b", 3, [10, 10, 0]),
  ];

  it.each(Object.entries(kinds))("have the advantages that their rows alone would have: %s", (_, advantage) => {
    const together = rowAdvantages(rows, advantage, 0);
    for (const name of ["a", "b"]) {
      const own = [...rows.keys()].filter((i) => rows[i]?.part === name);
      const alone = rowAdvantages(
        rows.filter(({ part }) => part === name).map(({ part: _part, ...row }) => row),
        advantage,
        0,
      );
      expect(own.map((i) => together[i])).toEqual([...alone]);
    }
  });

  it("are whitened by their own mean and deviation, worked by hand", () => {
    const tokens = [0, 10, 10, 0, 0, 0, 10, 10, 10, 0, 0, 0];
    const mean = tokens.reduce((sum, x) => sum + x, 0) / tokens.length;
    const variance = tokens.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (tokens.length - 1);
    const whitened = (x: number): number => (x - mean) / Math.sqrt(variance + 1e-8);
    const ofB = of(rows, "reinforcePlusPlus").filter((_, i) => rows[i]?.part === "b");
    expect(ofB).toEqual([0, 10, 0, 10, 10, 0].map((x) => expect.closeTo(whitened(x), 10)));
  });

  it("keep their critic's values and the KL of their tokens", () => {
    const values = rows.map(({ numTokens }, i) => new Float32Array(numTokens).fill(i / 10));
    const klPenalties = rows.map(({ numTokens }, i) => new Float64Array(numTokens).fill(i / 100));
    const penalties = { invalidActionPenalty: 0, overlongPenalty: 0, overlongBuffer: 0.2, maxResponseTokens: 16 };
    const inputs = { advantage: methods.ppo.advantage, penalties, shape: "windowed" as const };
    const together = tokenAdvantages({ ...inputs, rows, values, klPenalties });
    const own = [...rows.keys()].filter((i) => rows[i]?.part === "b");
    const pick = <Item>(items: readonly Item[]): Item[] => own.flatMap((i) => items.slice(i, i + 1));
    const alone = tokenAdvantages({
      ...inputs,
      rows: pick(rows),
      values: pick(values),
      klPenalties: pick(klPenalties),
    });
    expect(pick(together.advantages)).toEqual(alone.advantages);
    expect(pick(together.returns ?? [])).toEqual(alone.returns);
  });
});

describe("GiGPO", () => {
  it("discounts step returns and compares turns that saw the same state, worked by hand", () => {
    const advantage: Advantage = { kind: "gigpo", scale: "none", stepWeight: 2, gamma: 0.5, similarity: null };
    // The rows of an episode are in reverse order, because order must not matter.
    const rows = [
      makeRow({ turn: 1, anchor: "b", reward: 4, episodeReward: 4 }),
      makeRow({ turn: 0, anchor: "a", reward: 0, episodeReward: 4 }),
      makeRow({ episode: 1, turn: 0, anchor: "a", reward: 0, episodeReward: 0, isValid: false }),
    ];
    // The scores 4, 4, −1 have mean 7/3. The step returns are 4, 0.5·4 = 2 and 0 − 1 = −1. State a has the returns 2
    // and −1, with mean 0.5.
    const expected = [4 - 7 / 3, 4 - 7 / 3 + 2 * 1.5, -1 - 7 / 3 - 2 * 1.5];
    expect([...rowAdvantages(rows, advantage, 1)]).toEqual(expected.map((x) => expect.closeTo(x, 12)));
  });

  it("does not compare equal observations of different tasks", () => {
    const rows = [makeRow({ reward: 1, episodeReward: 1 }), makeRow({ group: 1, reward: 0, episodeReward: 0 })];
    expect(of(rows, "gigpo")[1]).toBe(0);
  });
});

describe("EMPG", () => {
  const rows = [0, 1, 2].flatMap((turn) =>
    [0, 1].map((episode) => makeRow({ episode, turn, entropy: turn + episode / 2, episodeReward: episode })),
  );

  it("sums to 0 over the batch", () => {
    expect(of(rows, "empg").reduce((total, x) => total + x, 0)).toBeCloseTo(0, 12);
  });

  it("gives the same to every row, whatever the order of rows", () => {
    const reversed = of(rows.toReversed(), "empg").toReversed();
    expect(reversed).toEqual(of(rows, "empg").map((x) => expect.closeTo(x, 12)));
  });

  it("stays finite when all entropies are equal", () => {
    const flat = rows.map((row) => ({ ...row, entropy: 0.7 }));
    expect(of(flat, "empg").every(Number.isFinite)).toBe(true);
  });
});

it("GAE says what it lacks", () => {
  expect(() => of(episodes(1), "ppo")).toThrow("need a critic");
});

describe("rewards of tokens", () => {
  const penalties = { invalidActionPenalty: 0.1, overlongPenalty: 0.1, overlongBuffer: 0.5, maxResponseTokens: 4 };
  const tokens = (advantage: Advantage, rows: readonly Row[], more: Partial<AdvantageInputs> = {}): number[][] =>
    tokenAdvantages({ rows, advantage, penalties, shape: "windowed", ...more }).advantages.map((own) => [...own]);

  it("a KL in the reward lowers the score by its sum, and with REINFORCE++ each token by what is still to come", () => {
    const rows = [makeRow({ episode: 0, numTokens: 2 }), makeRow({ episode: 1, numTokens: 1 })];
    const klPenalties = [Float64Array.of(0.5, 0.25), Float64Array.of(0.25)];
    const relative = tokens(methods.drGrpo.advantage, rows, { klPenalties });
    expect(relative).toEqual([[-0.25, -0.25], [0.25]]);
    // The returns to go −0.75, −0.25, −0.25 have mean −5/12 and unbiased variance 1/12.
    const whitened = tokens(methods.reinforcePlusPlus.advantage, rows, { klPenalties }).flat();
    const std = Math.sqrt(1 / 12);
    for (const [i, x] of [-1 / 3, 1 / 6, 1 / 6].entries()) expect(whitened[i]).toBeCloseTo(x / std, 6);
  });

  it("an overlong turn pays linearly over the buffer", () => {
    const rows = [2, 3, 4].map((numTokens, episode) => makeRow({ episode, numTokens }));
    expect([...turnScores(rows, penalties, "windowed")]).toEqual([0, -0.05, -0.1].map((x) => expect.closeTo(x, 12)));
  });

  it("the buffer is a whole number of tokens, rounded down, and at least one", () => {
    // A fifth of 18 tokens is a buffer of 3 tokens: a response of 15 tokens has no penalty, one of 16 a third of it.
    const at = (overlongBuffer: number, maxResponseTokens: number) => (numTokens: number) =>
      overlongCharge(numTokens, { overlongPenalty: 0.3, overlongBuffer, maxResponseTokens });
    expect([15, 16, 18].map(at(0.2, 18))).toEqual([0, 0.1, 0.3].map((x) => expect.closeTo(x, 12)));
    expect([71, 72].map(at(0.29, 100))).toEqual([0, 0.3 / 29].map((x) => expect.closeTo(x, 12)));
    expect([3, 4].map(at(0.01, 4))).toEqual([0, expect.closeTo(0.3, 12)]);
  });

  it("REINFORCE++ discounts what is still to come by its γ, and a row's sum against the group's mean by nothing", () => {
    const rows = [makeRow({ episode: 0, episodeReward: 4, numTokens: 3 })];
    // The returns 1, 2, 4 have mean 7/3 and unbiased variance 7/3.
    const discounted = tokens({ kind: "reinforcePlusPlus", baseline: "none", gamma: 0.5 }, rows).flat();
    const expected = [1, 2, 4].map((x) => expect.closeTo((x - 7 / 3) / Math.sqrt(7 / 3), 6));
    expect(discounted).toEqual(expected);
    const group = (gamma: number) =>
      tokens({ kind: "reinforcePlusPlus", baseline: "group", gamma }, [...rows, makeRow({ episode: 1, numTokens: 3 })]);
    expect(group(0.5)).toEqual(group(1));
  });

  it("a turn penalty lowers every turn's reward and its episode's by all of them", () => {
    const rows = [makeRow({ turn: 0 }), makeRow({ turn: 1, reward: 1, episodeReward: 1 }), makeRow({ episode: 1 })];
    const charged = withTurnPenalty(rows, 0.25);
    expect(charged.map((row) => [row.reward, row.episodeReward])).toEqual([
      [-0.25, -0.5],
      [0.75, 0.5],
      [-0.25, -0.25],
    ]);
  });

  it("the coefficient moves towards the target, by at most a fifth of the share of the horizon", () => {
    const controller = { target: 0.1, horizon: 100 };
    expect(adaptKlCoef(1, { kl: 0.11, numEpisodes: 50 }, controller)).toBeCloseTo(1 + 0.1 * 0.5, 12);
    expect(adaptKlCoef(1, { kl: 99, numEpisodes: 50 }, controller)).toBeCloseTo(1 + 0.2 * 0.5, 12);
    expect(adaptKlCoef(1, { kl: 0, numEpisodes: 50 }, controller)).toBeCloseTo(1 - 0.2 * 0.5, 12);
    expect(adaptKlCoef(1, { kl: NaN, numEpisodes: 50 }, controller)).toBe(1);
    expect(adaptKlCoef(1, { kl: 99, numEpisodes: 50 }, { target: null, horizon: 1 })).toBe(1);
  });
});

describe("with a critic", () => {
  const ppo = methods.ppo.advantage;
  const penalties = { invalidActionPenalty: 0, overlongPenalty: 0, overlongBuffer: 0.2, maxResponseTokens: 16 };

  it("advantages are whitened over tokens, returns are not", () => {
    const rows = [makeRow({ numTokens: 2, episodeReward: 3 }), makeRow({ episode: 1, numTokens: 1, episodeReward: 0 })];
    const values = [Float32Array.of(1, 2), Float32Array.of(1)];
    const { advantages, returns } = tokenAdvantages({ rows, advantage: ppo, penalties, shape: "windowed", values });
    // For γ = λ = 1, every return is the score, and A = score − V is 2, 1, −1 before whitening.
    expect(returns?.map((own) => [...own])).toEqual([[3, 3], [0]]);
    const flat = advantages.flatMap((own) => [...own]);
    const std = Math.sqrt(7 / 3);
    for (const [i, x] of [4 / 3, 1 / 3, -5 / 3].entries()) expect(flat[i]).toBeCloseTo(x / std, 6);
  });

  it("bi-level estimates discount over turns and reward each turn's last token with its turn's target", () => {
    const rows = [
      makeRow({ turn: 0, numTokens: 2, reward: 0, episodeReward: 1 }),
      makeRow({ turn: 1, numTokens: 1, reward: 1, episodeReward: 1 }),
    ];
    const values = [Float32Array.of(0.25, 0.5), Float32Array.of(0.75)];
    const turns = { gamma: 0.5, lambda: 1 };
    const { returns } = tokenAdvantages({ rows, advantage: { ...ppo, turns }, penalties, shape: "windowed", values });
    // Turn 1: A = 1 − 0.75, target 1. Turn 0: A = 0 + 0.5·0.75 − 0.5 + 0.5·0.25 = 0, target 0.5.
    // Inside a turn γ = λ = 1: every token's return is the target of its turn.
    expect(returns?.map((own) => [...own])).toEqual([[0.5, 0.5], [1]]);
  });

  it("a row without response has no advantages and moves nothing", () => {
    const rows = [makeRow({ numTokens: 0 }), makeRow({ episode: 1, numTokens: 1, episodeReward: 1 })];
    const values = [new Float32Array(0), Float32Array.of(0)];
    const { advantages } = tokenAdvantages({ rows, advantage: ppo, penalties, shape: "windowed", values });
    expect(advantages.map((own) => own.length)).toEqual([0, 1]);
  });
});

it("no rows give no advantages", () => {
  for (const advantage of Object.values(kinds)) expect(rowAdvantages([], advantage, 0.1)).toHaveLength(0);
});

describe("a transcript is one row per episode", () => {
  // Two episodes of one task: the first succeeds after three turns, the second fails after one turn.
  const rows = [
    makeRow({ episode: 0, turn: 0, reward: 0, episodeReward: 1, numTokens: 2, isValid: false }),
    makeRow({ episode: 0, turn: 1, reward: 0, episodeReward: 1, numTokens: 1, isValid: false }),
    makeRow({ episode: 0, turn: 2, reward: 1, episodeReward: 1, numTokens: 1 }),
    makeRow({ episode: 1, turn: 0, reward: 0, episodeReward: 0, numTokens: 3 }),
  ];
  const penalties = { invalidActionPenalty: 0.1, overlongPenalty: 0, overlongBuffer: 0.2, maxResponseTokens: 16 };
  const of = (name: MethodName, more: Partial<AdvantageInputs> = {}): number[][] =>
    tokenAdvantages({
      rows,
      advantage: methods[name].advantage,
      penalties,
      shape: "transcript",
      ...more,
    }).advantages.map((own) => [...own]);
  const close = (values: readonly number[][]) => values.map((own) => own.map((x) => expect.closeTo(x, 5)));

  it("and one sample of its group, less all its penalties", () => {
    // The scores 0.8 and 0 have mean 0.4 and unbiased standard deviation 0.8/√2.
    const x = 0.4 / (0.8 / Math.SQRT2 + 1e-6);
    expect(of("grpo")).toEqual(close([[x, x], [x], [x], [-x, -x, -x]]));
    expect(of("rloo")).toEqual(close([[0.8, 0.8], [0.8], [0.8], [-0.8, -0.8, -0.8]]));
  });

  it("and one sequence, through which a critic's estimate flows from turn to turn", () => {
    const values = [[0.5, 0.4], [0.3], [0.2], [0.1, 0, 0]].map((own) => Float32Array.from(own));
    const { returns } = tokenAdvantages({
      rows,
      advantage: { ...methods.ppo.advantage, gamma: 1, lambda: 1 },
      penalties,
      shape: "transcript",
      values,
    });
    // For γ = λ = 1, the return of a token is the remaining reward: −0.1 at the end of each invalid turn, 1 at the last
    // end.
    expect(returns?.map((own) => [...own])).toEqual(close([[0.8, 0.8], [0.9], [1], [0, 0, 0]]));
  });

  it("with KL in the reward of a token, which turns before it see and turns after it do not", () => {
    const klPenalties = [[0, 0], [0.5], [0], [0, 0, 0]].map((own) => Float64Array.from(own));
    const advantage: Advantage = { kind: "reinforcePlusPlus", baseline: "none" };
    const [first = [], second = [], third = []] = of("grpo", { advantage, klPenalties });
    expect(first[0]).toBe(first[1]);
    // Returns before whitening, by turn: 0.3, 0.3 | 0.4 | 1 | 0, 0, 0.
    const unit = ((third[0] ?? NaN) - (second[0] ?? NaN)) / 0.6;
    expect((second[0] ?? NaN) - (first[0] ?? NaN)).toBeCloseTo(0.1 * unit, 6);
  });

  it("while step groups stay turns", () => {
    const [a = [], b = [], c = []] = of("gigpo");
    expect(new Set([a[0], b[0], c[0]]).size).toBeGreaterThan(1);
  });
});
