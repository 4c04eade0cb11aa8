import type { Looks } from "./looks.ts";

/** Legend of the colours, with the number of runs of each. */
export function LookLegend({ looks: { looks, lookOf } }: { looks: Looks }) {
  return (
    <ul aria-label="Colours" className="mb-1 flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {looks.map(({ label, color }, i) => (
        <li key={label} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className="h-1 w-4 rounded-full" style={{ background: color }} />
          {label}
          <span className="text-muted">{lookOf.filter((look) => look === i).length}</span>
        </li>
      ))}
    </ul>
  );
}
