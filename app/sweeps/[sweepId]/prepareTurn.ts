type Waiting = {
  sweepId: string;
  sweepName: string;
  priorityMinutes: number;
  numPending: number;
  problem: string | null;
};

type Turn = Waiting & { isFirst: boolean; position: string };

/** Queue position of a sweep; undefined if none of its runs waits. */
export function prepareTurn(queue: readonly Waiting[], sweepId: string): Turn | undefined {
  const waiting = queue.filter(({ numPending }) => numPending > 0);
  const at = waiting.findIndex((sweep) => sweep.sweepId === sweepId);
  const entry = waiting[at];
  if (!entry) return undefined;
  const position =
    waiting.length === 1 ? "alone" : at === 0 ? `first of ${waiting.length}` : `${at + 1} of ${waiting.length}`;
  return { ...entry, isFirst: at === 0, position };
}
