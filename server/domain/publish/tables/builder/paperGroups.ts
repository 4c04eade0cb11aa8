import { methods, type MethodName } from "#trainer/spec/method.ts";

/** ARLArena's grouping of methods in its tables: by the dimension that a method addresses. */
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

/** The paper's heading of a method, by its title; undefined for an unknown variant. */
export function paperGroupOf(title: string): { text: string; rank: number } | undefined {
  return groupOf.get(title);
}
