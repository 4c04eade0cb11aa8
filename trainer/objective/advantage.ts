import type { Advantage } from "#trainer/spec/dimensions.ts";
import { empg } from "./empg.ts";
import { rowGae, turnGae, withFinal } from "./gae.ts";
import { gigpo } from "./gigpo.ts";
import { groupRelative, leaveOneOut } from "./groupRelative.ts";
import { reinforcePlusPlus } from "./reinforcePlusPlus.ts";
import { rowScores, turnPenalty, type TurnPenalties } from "./reward.ts";
import type { Row } from "./row.ts";
import { whiten } from "./whiten.ts";

export type AdvantageInputs = {
  /** All rows of an iteration: statistics are taken over them, so every row of a group must be present. */
  rows: readonly Row[];
  advantage: Advantage;
  penalties: TurnPenalties;
  /** Per row, per response token: coefficient × KL to the reference, taken from the reward. Without it there is none. */
  klPenalties?: readonly Float64Array[];
  /** Per row, per response token: the critic's values before the update. Only `gae` reads them. */
  values?: readonly Float32Array[];
};

export type Advantages = {
  /** Per row, per response token. */
  advantages: Float64Array[];
  /** What the critic is to predict, per row and response token; only with a critic. */
  returns?: Float32Array[];
};

/** Advantages of every response token of an iteration. Without a critic all tokens of a row share one. */
export function tokenAdvantages(inputs: AdvantageInputs): Advantages {
  const { rows, advantage, penalties } = inputs;
  const scores = rowScores(rows, penalties);
  const tokenRewards = rows.map(({ numTokens }, i) =>
    Float64Array.from({ length: numTokens }, (_, t) => -(inputs.klPenalties?.[i]?.[t] ?? 0)),
  );
  const total = scores.map((score, i) => score + sumOf(tokenRewards[i]));
  switch (advantage.kind) {
    case "group":
      return perRow(rows, groupRelative(rows, total, advantage));
    case "rloo":
      return perRow(rows, leaveOneOut(rows, total));
    case "reinforcePlusPlus":
      return { advantages: reinforcePlusPlus(rows, withFinal(tokenRewards, scores), advantage) };
    case "gigpo":
      return perRow(rows, gigpo(rows, total, { ...advantage, ...penalties }));
    case "empg":
      return perRow(rows, empg(rows, total, advantage));
    case "gae": {
      const { values } = inputs;
      if (!values) throw new Error("advantages of kind gae need a critic's values");
      const rewards = { rows, values, tokenRewards };
      const { advantages, returns } = advantage.turns
        ? turnGae(rewards, ownRewards(rows, penalties), { tokens: advantage, turns: advantage.turns })
        : rowGae(rewards, scores, advantage);
      return { advantages: whiten(advantages), returns };
    }
  }
}

/** (B,): what each turn itself earned. */
function ownRewards(rows: readonly Row[], penalties: TurnPenalties): Float64Array {
  return Float64Array.from(rows, (row) => row.reward - turnPenalty(row, penalties));
}

function perRow(rows: readonly Row[], advantages: Float64Array): Advantages {
  return { advantages: rows.map(({ numTokens }, i) => new Float64Array(numTokens).fill(advantages[i] ?? 0)) };
}

function sumOf(values: Float64Array | undefined): number {
  return values?.reduce((sum, x) => sum + x, 0) ?? 0;
}
