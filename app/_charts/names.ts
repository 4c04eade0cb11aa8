/** One line of the legend: a cell on the sweep page, a run on the run page. The same on every chart of a page. */
export type LegendEntry = { cellId: number; id: string; label: string; color: string; dash: string | undefined };
/** Keys of group `clone` count epochs of cloning, all others iterations of training. */
export type XAxisName = "Iteration" | "Epoch";
export type RunName = { runId: string; cellId: number; seed: number };
