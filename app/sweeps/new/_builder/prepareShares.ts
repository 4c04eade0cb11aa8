import { formatPercent } from "#app/_charts/format.ts";
import { formatCount } from "#packages/base";
import { isPart, nameOfPart, readIn, titleOf, type Part } from "./draft/sweepFile.ts";

export type Share = {
  name: string;
  /** Fraction of the drawing's width. */
  fraction: number;
  /** Share of the groups, or the iterations of a phase. */
  text: string;
  /** True for a phase that a success rate may end earlier. */
  isOpen: boolean;
};

/** Prepares the drawing of a mixture or curriculum; empty while a weight or an end cannot be drawn. */
export function prepareShares(parts: readonly Part[], kind: "parts" | "phases", iterations: number): Share[] {
  return kind === "parts" ? prepareWeights(parts) : preparePhases(parts, iterations);
}

function prepareWeights(parts: readonly Part[]): Share[] {
  const weights = parts.map((part) => Number(readIn(part, ["weight"]) ?? 1));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (!weights.every((weight) => weight > 0)) return [];
  return parts.map((part, i) => {
    const fraction = (weights[i] ?? 0) / sum;
    return { name: nameOf(part), fraction, text: formatPercent(fraction), isOpen: false };
  });
}

/**
 * A phase that a success rate may end has no known length, so the key names no iterations of later phases. Without a
 * limit, it is drawn with an equal part of the iterations that are left.
 */
function preparePhases(phases: readonly Part[], iterations: number): Share[] {
  let begin: number | undefined = 0;
  let left = iterations;
  return phases.map((phase, i): Share => {
    const isLast = i === phases.length - 1;
    const success = isLast ? undefined : readIn(phase, ["until", "success"]);
    const length = isLast ? undefined : readIn(phase, ["until", "iterations"]);
    const numLeft = phases.length - i;
    const own: number =
      isLast || typeof length !== "number" ? left / (isLast ? 1 : numLeft) : Math.min(left, Math.max(0, length));
    const name = nameOf(phase);
    const isOpen = success !== undefined;
    const until = typeof success === "number" ? `until ${formatPercent(success)} success` : "";
    const text = describe({ begin, length: isLast ? "rest" : length, until, iterations });
    begin = begin === undefined || isOpen || typeof length !== "number" ? undefined : begin + own;
    left -= own;
    return { name, fraction: own / iterations, text, isOpen };
  });
}

type Described = { begin: number | undefined; length: unknown; until: string; iterations: number };

function describe({ begin, length, until, iterations }: Described): string {
  if (begin !== undefined && begin >= iterations) return `never begins in ${formatCount(iterations, "iteration")}`;
  if (length === "rest") return begin === undefined ? "to the end" : `iterations ${begin + 1}–${iterations}`;
  if (typeof length !== "number") return until || "has no end";
  const span = formatCount(length, "iteration");
  if (begin === undefined) return until === "" ? `for ${span}` : `for ${span} or ${until}`;
  const range = `iterations ${begin + 1}–${Math.min(iterations, begin + length)}`;
  return until === "" ? range : `${range} or ${until}`;
}

function nameOf(part: Part): string {
  const environment = readIn(part, ["environment"]);
  const title = isPart(environment) ? titleOf(environment) : "";
  const name = nameOfPart(part);
  return name === "" || name.toLowerCase() === title.toLowerCase() ? title : `${name} (${title})`;
}
