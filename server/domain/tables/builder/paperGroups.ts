import { methods, type MethodName } from "#trainer/spec/method.ts";

/** ARLArena's grouping of the methods in its tables: by the dimension that a method is an answer to. */
const groups = {
  Baseline: ["grpo"],
  "Loss aggregation": ["grpoSt", "drGrpo"],
  "IS clipping": ["sapo", "sapoSm", "cispo", "cispoSm", "gspo", "grpoSm", "gmpo", "aepo", "clipCov", "klCov"],
  "Advantage design": ["gigpo", "empg", "rloo", "reinforcePlusPlus", "reinforcePlusPlusBaseline", "ppo"],
  "Dynamic sampling": ["dapoGrpo", "dapoGigpo"],
  SAMPO: ["sampo"],
} as const satisfies Record<string, readonly MethodName[]>;

const groupOf: ReadonlyMap<string, { text: string; rank: number }> = new Map(
  Object.entries(groups).flatMap(([text, names], rank) => names.map((name) => [methods[name].title, { text, rank }])),
);

/** The heading under which the paper has a method, by the method's title; undefined of a variant that it does not know. */
export function paperGroupOf(title: string): { text: string; rank: number } | undefined {
  return groupOf.get(title);
}
