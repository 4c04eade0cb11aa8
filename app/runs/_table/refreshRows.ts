import type { QueryClient, QueryKey } from "@tanstack/react-query";

type Filters = Record<"rows" | "groups", { queryKey: QueryKey }>;

/**
 * Fetches the table's rows and groups again. It leaves out the count of outdated runs, which would fall again at once
 * while runs are labelled, and refused filters, whose error would disappear meanwhile.
 */
export async function refreshRows(client: QueryClient, { rows, groups }: Filters): Promise<void> {
  const invalidate = ({ queryKey }: Filters["rows"]) =>
    client.invalidateQueries({ queryKey, predicate: ({ state }) => state.status !== "error" });
  await Promise.all([invalidate(rows), invalidate(groups)]);
}
