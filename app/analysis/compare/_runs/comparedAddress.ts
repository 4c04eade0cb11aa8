import { pages } from "#server/domain/pages.ts";
import { nameCells } from "#server/domain/plan/sweep/labels/nameCell.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import type { AddressPart } from "#app/_ui/address.ts";
import { baselinePart } from "#app/_ui/baseline.ts";

/**
 * Compared runs and configurations, in the URL as `?runs=A,B` and `?cell=my-sweep/GRPO&cell=my-sweep/GSPO`. Ids of
 * configurations are read from addresses of version 0.1 (`?cells=1,2`), and never written.
 */
export type Compared = { runIds: string[]; cellIds: number[]; cells: string[] };

export function readCompared(query: URLSearchParams): Compared {
  const list = (text: string | null) => [...new Set((text ?? "").split(",").filter((item) => item !== ""))];
  return {
    runIds: list(query.get("runs")).slice(0, maxCompared),
    cellIds: list(query.get("cells"))
      .map(Number)
      .filter((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)
      .slice(0, maxCompared),
    cells: [...new Set(query.getAll("cell"))].filter((name) => name !== "").slice(0, maxCompared),
  };
}

/** `cells`: all configurations of their sweeps, because names depend on each other. */
export function toCompareAddress(cells: Parameters<typeof nameCells>[0]): string {
  const query = new URLSearchParams(nameCells(cells).map((name) => ["cell", name]));
  return `${pages.compare}?${query.toString().replaceAll("%2F", "/")}`;
}

/** URL parameters that are removed when the compared runs change, because they refer to the old ones. */
const dependent = ["hide", "from", "task", "at", "episodes"];

export const comparedPart: AddressPart<Compared> = {
  parse: readCompared,
  write: (query, { runIds, cells }) => {
    const written = new URLSearchParams(query);
    for (const name of ["runs", "cells", "cell", ...dependent]) written.delete(name);
    if (runIds.length > 0) written.set("runs", runIds.join(","));
    for (const name of cells) written.append("cell", name);
    return written;
  },
  isReadByServer: true,
};

type Known = { compared: Compared; keys: readonly string[]; configurations: readonly { cellId: number }[] };

/** Returns the input of the query for final values, with metric and baseline of the URL; undefined without metrics. */
export function askFinals({ compared, keys, configurations }: Known, query: URLSearchParams) {
  const [usual] = keys;
  if (usual === undefined) return undefined;
  const chosen = query.get("metric") ?? "";
  const baseline = baselinePart.parse(query);
  const from = configurations.find(({ cellId }) => cellId === baseline) ?? configurations[0];
  return {
    ...compared,
    metric: keys.includes(chosen) ? chosen : usual,
    ...(from && { baseline: from.cellId }),
  };
}
