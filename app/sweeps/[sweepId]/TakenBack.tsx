"use client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import type { CellRow } from "#server/db/runs.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";

/** Added runs that were cancelled: not counted, but kept. Renders nothing if there are none. */
export function TakenBack({ sweepId, cells }: { sweepId: string; cells: readonly CellRow[] }) {
  const trpc = useTrpc();
  const { data: runs = [] } = useQuery(trpc.run.takenBack.queryOptions({ sweepId }));
  if (runs.length === 0) return null;
  const nameOf = new Map(cells.map(({ id, method, label }) => [id, [method, label].filter(Boolean).join(" · ")]));
  return (
    <details className="mt-2 text-sm text-muted">
      <summary>{formatCount(runs.length, "added run")} removed: not counted</summary>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {runs.map(({ id, cellId, seed, latestIteration }) => (
          <li key={id}>
            <Link href={`/runs/${id}`} className="underline">
              {nameOf.get(cellId)}, seed {seed}
            </Link>{" "}
            ({formatCount(latestIteration, "iteration")})
          </li>
        ))}
      </ul>
    </details>
  );
}
