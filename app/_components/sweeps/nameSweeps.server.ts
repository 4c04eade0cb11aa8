import { redirect } from "next/navigation";
import { toSearchParams, type PageQuery } from "#app/_ui/address.ts";

/**
 * A page that chose its sweeps itself is asked for again by an address that names them: a link, a reload and the next page then
 * show the same ones, whatever has trained meanwhile.
 */
export function nameSweeps(path: string, query: PageQuery, sweepIds: readonly string[]): void {
  const asked = toSearchParams(query);
  if (sweepIds.length === 0 || asked.getAll("sweep").some((id) => id !== "")) return;
  asked.delete("sweep");
  for (const id of sweepIds) asked.append("sweep", id);
  redirect(`${path}?${asked.toString()}`);
}
