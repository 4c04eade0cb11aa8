import { redirect } from "next/navigation";
import { toSearchParams, type PageQuery } from "#app/_ui/address.ts";

/** Redirects a page that chose its sweeps itself to an address with their ids. A link, a reload and the next page then show the same sweeps. */
export function nameSweeps(path: string, query: PageQuery, sweepIds: readonly string[]): void {
  const asked = toSearchParams(query);
  if (sweepIds.length === 0 || asked.getAll("sweep").some((id) => id !== "")) return;
  asked.delete("sweep");
  for (const id of sweepIds) asked.append("sweep", id);
  redirect(`${path}?${asked.toString()}`);
}
