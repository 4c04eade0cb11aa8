import type { RunScope } from "#server/domain/runtable/scope.ts";
import type { AddressPart } from "#app/_ui/address.ts";

/** Runs of the page: `?sweep=…&sweep=…`, `?run=…,…` (a selection in the run table), or `?q=…` (its filter). Empty: the page chooses a sweep. */
export type Asked = { sweepIds: string[] } | Exclude<RunScope, { sweepIds: string[] }>;

export const scopePart: AddressPart<Asked> = {
  parse: (query) => {
    const runIds = (query.get("run") ?? "").split(",").filter((id) => id !== "");
    if (runIds.length > 0) return { runIds };
    const filter = query.get("q");
    return filter === null || filter.trim() === "" ? { sweepIds: query.getAll("sweep") } : { filter };
  },
  write: (query, asked) => {
    const written = new URLSearchParams(query);
    for (const name of ["sweep", "run", "q", "axes", "brush"]) written.delete(name);
    if ("runIds" in asked) written.set("run", asked.runIds.join(","));
    else if ("filter" in asked) written.set("q", asked.filter);
    else for (const id of asked.sweepIds) written.append("sweep", id);
    return written;
  },
  isReadByServer: true,
};
