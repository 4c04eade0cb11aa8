import type { Method } from "#trainer/spec/method.ts";
import type { Remark } from "../handling.ts";
import type { Flavour } from "./flavour.ts";

/** A method's overrides, by the section of the command that they stand in, and what of it there is not. */
export type MethodPart = {
  estimator: string;
  actor: string[];
  algorithm: string[];
  sampling: string[];
  critic: string[];
  correction: string[];
  notes: Remark[];
  problems: Remark[];
};

/** The method's loss in the words of a trainer. */
export type Chosen = { loss: string; flavour: Flavour };

/** A loss's name; empty for the usual one. Those that no recipe lists are refused. */
export function lossOf(clipping: Method["clipping"]): string {
  return clipping.kind === "divergence" && clipping.measure === "binaryKl" ? "dppo_kl" : losses[clipping.kind];
}

const losses: Readonly<Record<Method["clipping"]["kind"], string>> = {
  token: "",
  sequence: "gspo",
  sapo: "sapo",
  cispo: "cispo",
  aepo: "aepo",
  geometricMean: "geo_mean",
  clipCov: "clip_cov",
  klCov: "kl_cov",
  divergence: "dppo_tv",
  quadratic: "drpo",
  quadraticLog: "dro",
  vespo: "vespo",
  aspo: "aspo",
  gradientPreserving: "ce_gppo",
  turn: "turn",
  score: "gpg",
  ratio: "reinforce",
};

export function refuse(part: MethodPart, path: string, message: string): void {
  part.problems.push({ path, message });
}

/** Dr. GRPO is an estimator of the agents that fixes its aggregation; where rows are episodes, one that fits alone is it. */
export function isDrGrpo({ advantage, aggregation }: Method, { loss, flavour }: Chosen): boolean {
  if (advantage.kind !== "group" || advantage.scale !== "none" || loss !== "") return false;
  if (flavour.rows === "turns") return true;
  return aggregation === "seqMeanTokenSumNorm" && !flavour.unknownEstimators.includes("drgrpo");
}

/** Numbers that the code has as constants: [asked for, theirs, name]. */
export function refuseOtherConstants(
  part: MethodPart,
  section: string,
  constants: readonly (readonly [number, number, string])[],
): void {
  for (const [value, theirs, name] of constants) {
    if (value === theirs) continue;
    const path = `${section}.${name}`;
    refuse(part, path, `${value} is refused: it is ${theirs} in the code, and no override reaches it`);
  }
}
