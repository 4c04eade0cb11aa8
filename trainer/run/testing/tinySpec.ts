import { RunSpec } from "#trainer/spec/run.ts";

export type Partly = Readonly<Record<string, unknown>>;

/** Returns the specification of a test run that takes one second and contains every step of training in small size. */
export function tinySpec(method: unknown, iterations = 1, more: Partly = {}): RunSpec {
  return RunSpec.parse({
    v: 1,
    seed: 7,
    environment: { id: "sokoban", maxTurns: 3 },
    method,
    initialisation: { kind: "demonstrations", numEpisodes: 20, epochs: 2 },
    rollout: { numGroups: 2, groupSize: 3, historyLength: 1, maxResponseTokens: 12 },
    update: { minibatchRows: 8 },
    evaluation: { every: 1, numEpisodes: 4 },
    budget: { iterations },
    ...more,
  });
}
