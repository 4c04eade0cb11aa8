import type { Status } from "#server/domain/stability/verdict/status.ts";
import { statusLooks } from "./statusLooks.ts";

/** Legend of the colours for the states that occur in the strips. */
export function StripLegend({ statuses }: { statuses: readonly Status[] }) {
  return (
    <ul aria-label="Colours of the strips" className="flex flex-wrap gap-x-3 text-xs">
      {statuses.map((status) => (
        <li key={status} className="flex items-center gap-1.5">
          <span aria-hidden="true" className="h-2 w-3 rounded-sm" style={{ background: statusLooks[status].fill }} />
          {statusLooks[status].title}
        </li>
      ))}
    </ul>
  );
}
