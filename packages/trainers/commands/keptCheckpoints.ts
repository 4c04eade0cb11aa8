import type { RunSpec } from "#trainer/spec/run.ts";
import type { Remark } from "./handling.ts";

type Kept = {
  /** First iteration whose checkpoint the plan keeps, and the number of checkpoints from it to the end. */
  first: number | undefined;
  count: number;
  problems: Remark[];
};

/** Returns the checkpoints that a plan keeps (`execution.keep`), for a trainer that saves every `checkpointEvery`. */
export function keptOf({
  execution: { keep = [], checkpointEvery },
  budget,
}: Pick<RunSpec, "execution" | "budget">): Kept {
  const asked = Array.isArray(keep)
    ? keep.map((value, i) => ({ path: `execution.keep[${i}]`, value }))
    : [{ path: "execution.keep.every", value: keep.every }];
  // A plan with `checkpointEvery` 0 is refused by the contract.
  if (asked.length === 0 || checkpointEvery === 0) return { first: undefined, count: 0, problems: [] };
  const problems = asked.flatMap(({ path, value }) =>
    value > 0 && value % checkpointEvery === 0 ? [] : [{ path, message: refuse(value, checkpointEvery) }],
  );
  if (problems.length > 0) return { first: undefined, count: 0, problems };
  const first = Math.min(...asked.map(({ value }) => value));
  const numSaved = Math.ceil(budget.iterations / checkpointEvery);
  return { first, count: Math.max(1, numSaved - first / checkpointEvery + 1), problems };
}

function refuse(value: number, checkpointEvery: number): string {
  return value === 0
    ? `is 0, must be at least ${checkpointEvery}: the trainer saves no checkpoint before it trains`
    : `is ${value}, must be a multiple of execution.checkpointEvery, ${checkpointEvery}`;
}
