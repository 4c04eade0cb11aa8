import type { ShownArm } from "#server/api/plan/searches.ts";
import { classes } from "#app/_ui/classes.ts";
import { prepareRungs, type RungRow } from "./prepareSearch.ts";

const parts = [
  { of: "numPromoted", label: "went on", look: "bg-accent" },
  { of: "numLetGoOn", label: "went on as control", look: "bg-warn" },
  { of: "numOpen", label: "waiting or through", look: "bg-surface border border-edge" },
  { of: "numStopped", label: "stopped", look: "bg-edge/50" },
] as const satisfies readonly { of: keyof RungRow; label: string; look: string }[];

/** Bar per rung: the fraction of the trials at the first rung that reached it. */
export function RungsFigure({ arm }: { arm: ShownArm }) {
  const rungs = prepareRungs(arm);
  const most = Math.max(...rungs.map(({ numReached }) => numReached));
  if (rungs.length < 2 || most < 1) return null;
  return (
    <figure className="max-w-3xl space-y-2 text-xs">
      {/* The table below has the same numbers. */}
      <div
        aria-hidden="true"
        className="grid grid-cols-[max-content_minmax(0,1fr)_max-content] items-center gap-x-2 gap-y-1.5"
      >
        {rungs.map((rung) => (
          <div key={rung.asked} className="contents">
            <span className="text-right text-muted">{rung.asked}</span>
            <span className="flex h-4 gap-px">
              {parts.map(
                ({ of, look }) =>
                  rung[of] > 0 && (
                    <span
                      key={of}
                      className={classes("h-full rounded-xs", look)}
                      style={{ width: `${(100 * rung[of]) / most}%` }}
                    />
                  ),
              )}
            </span>
            <span className="tabular-nums">{rung.numReached}</span>
          </div>
        ))}
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
        {parts.map(({ of, label, look }) => (
          <span key={of} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={classes("size-2.5 rounded-xs", look)} /> {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
