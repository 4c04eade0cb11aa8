"use client";
import { Link } from "#app/_ui/Link.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { comparePath, maxCompared } from "#app/_components/comparePath.ts";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { toFilter } from "../_parallel/brush.ts";
import type { StudiedRun } from "#server/domain/importance/prepareStudy.ts";

type Props = { runs: readonly StudiedRun[]; isBrushed: readonly boolean[]; hasBrushes: boolean; onClear: () => void };

/** Number of runs that the brushes select, with links to them. */
export function SelectionLine({ runs, isBrushed, hasBrushes, onClear }: Props) {
  const chosen = runs.filter((_, run) => isBrushed[run]);
  const ids = chosen.map(({ id }) => id);
  const filter = toFilter(ids);
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-2">
      <span role="status" className="mr-1 text-sm">
        {hasBrushes
          ? `${chosen.length.toLocaleString("en-US")} of ${formatCount(runs.length, "run")} selected`
          : "Drag along an axis to select runs"}
      </span>
      {hasBrushes && (
        <>
          {filter !== undefined && ids.length > 0 && (
            <Link className={buttonClasses()} href={`/runs?q=${encodeURIComponent(filter)}`}>
              Open in the run table
            </Link>
          )}
          {ids.length > 1 && ids.length <= maxCompared && (
            <Link className={buttonClasses()} href={comparePath(ids)}>
              Compare
            </Link>
          )}
          <Button kind="quiet" onClick={onClear}>
            Clear
          </Button>
        </>
      )}
    </div>
  );
}
