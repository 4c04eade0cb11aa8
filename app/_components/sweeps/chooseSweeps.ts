type Known = { id: string; iterationsDone: number };

/** Splits a URL's ids into existing sweeps and unknown ids. Without ids, chooses the first sweep that has trained. */
export function chooseSweeps(
  asked: string | string[] | undefined,
  sweeps: readonly Known[],
): { sweepIds: string[]; missing: string[] } {
  const wanted = [...new Set([asked ?? []].flat())].filter((id) => id !== "");
  if (wanted.length === 0) {
    const newest = sweeps.find(({ iterationsDone }) => iterationsDone > 0) ?? sweeps[0];
    return { sweepIds: newest ? [newest.id] : [], missing: [] };
  }
  const isKnown = (id: string) => sweeps.some((one) => one.id === id);
  return { sweepIds: wanted.filter(isKnown), missing: wanted.filter((id) => !isKnown(id)) };
}
