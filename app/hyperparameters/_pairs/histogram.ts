import type { FigureAxis } from "#app/_charts/axes.ts";
import type { Positions } from "../_slices/prepareSlice.ts";

const numBins = 20;

/** Counts the runs in each of twenty bins of an axis, or at each of its steps. */
export function countBins({ axis, positions, isStepped }: Positions): { from: number; to: number; count: number }[] {
  const { domain, scale = "linear" } = axis;
  const [to, back] = scale === "log" ? [Math.log10, (x: number) => 10 ** x] : [(x: number) => x, (x: number) => x];
  const [low, high] = [to(domain[0]), to(domain[1])];
  const numParts = isStepped ? Math.round(high - low) : numBins;
  const counts = Array.from({ length: numParts }, () => 0);
  for (const position of positions) {
    if (position === null) continue;
    const part = Math.min(numParts - 1, Math.floor((numParts * (to(position) - low)) / (high - low)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  // A step's bar is centred in its slot.
  const margin = isStepped ? 0.25 : 0;
  const edge = (part: number) => back(low + ((high - low) * part) / numParts);
  return counts.flatMap((count, part) =>
    count === 0 ? [] : [{ from: edge(part + margin), to: edge(part + 1 - margin), count }],
  );
}

/** Extends an axis to make room for the other axis's histogram. */
export function makeRoom({ domain: [low, high], scale = "linear" }: FigureAxis): [number, number] {
  const share = 0.14;
  if (scale === "log") return [low, high * (high / low) ** share];
  return [low, high + share * (high - low)];
}
