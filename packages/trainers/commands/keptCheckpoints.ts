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
  const asked = Array.isArray(keep) ? keep : [keep.every];
  if (asked.length === 0) return { first: undefined, count: 0, problems: [] };
  const unsaved = asked.filter((one) => checkpointEvery === 0 || one % checkpointEvery !== 0);
  if (unsaved.length > 0) {
    const saves = checkpointEvery === 0 ? "no checkpoint" : `one every ${checkpointEvery} iterations`;
    const message = `${unsaved.join(", ")} is refused: the trainer saves ${saves}; take multiples of execution.checkpointEvery`;
    return { first: undefined, count: 0, problems: [{ path: "execution.keep", message }] };
  }
  const first = Math.min(...asked);
  const numSaved = Math.ceil(budget.iterations / checkpointEvery);
  return { first, count: Math.max(1, numSaved - first / checkpointEvery + 1), problems: [] };
}
