import { pages } from "#server/domain/pages.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import type { AddressPart } from "#app/_ui/address.ts";
import { baselinePart } from "#app/_ui/baseline.ts";

/** Ids of the compared runs and configurations, in the URL as `?runs=A,B` and `?cells=1,2`. */
export type Compared = { runIds: string[]; cellIds: number[] };

export function readCompared({ runs, cells }: { runs: string; cells: string }): Compared {
  const list = (text: string) => [...new Set(text.split(",").filter((item) => item !== ""))];
  return {
    runIds: list(runs).slice(0, maxCompared),
    cellIds: list(cells)
      .map(Number)
      .filter((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)
      .slice(0, maxCompared),
  };
}

export function toCompareAddress({ runIds, cellIds }: Compared): string {
  const query = new URLSearchParams();
  if (runIds.length > 0) query.set("runs", runIds.join(","));
  if (cellIds.length > 0) query.set("cells", cellIds.join(","));
  return `${pages.compare}?${query.toString().replaceAll("%2C", ",")}`;
}

/** URL parameters that are removed when the compared runs change, because they refer to the old ones. */
const dependent = ["hide", "from", "task", "at", "episodes"];

export const comparedPart: AddressPart<Compared> = {
  parse: (query) => readCompared({ runs: query.get("runs") ?? "", cells: query.get("cells") ?? "" }),
  write: (query, { runIds, cellIds }) => {
    const written = new URLSearchParams(query);
    for (const name of ["runs", "cells", ...dependent]) written.delete(name);
    if (runIds.length > 0) written.set("runs", runIds.join(","));
    if (cellIds.length > 0) written.set("cells", cellIds.join(","));
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
