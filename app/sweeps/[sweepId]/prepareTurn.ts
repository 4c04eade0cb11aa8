type Waiting = {
  sweepId: string;
  sweepName: string;
  priorityMinutes: number;
  numPending: number;
  problem: string | null;
};

type Turn = Waiting & { isFirst: boolean; place: string };

/** Where a sweep stands among those that wait for slots; undefined when none of its runs waits. */
export function prepareTurn(queue: readonly Waiting[], sweepId: string): Turn | undefined {
  const waiting = queue.filter(({ numPending }) => numPending > 0);
  const at = waiting.findIndex((sweep) => sweep.sweepId === sweepId);
  const own = waiting[at];
  if (!own) return undefined;
  const place =
    waiting.length === 1 ? "alone" : at === 0 ? `first of ${waiting.length}` : `${at + 1} of ${waiting.length}`;
  return { ...own, isFirst: at === 0, place };
}
