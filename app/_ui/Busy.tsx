import type { ReactNode } from "react";
import { classes } from "./classes.ts";

/** Dims its old content while new content loads, and marks it as busy for screen readers. */
export function Busy({ isBusy, className, children }: { isBusy: boolean; className?: string; children: ReactNode }) {
  return (
    <div className="relative">
      <div role="status" className="pointer-events-none absolute inset-x-0 top-2 z-10 flex justify-center">
        {isBusy && (
          <span className="rounded-full border border-line bg-surface px-3 py-1 text-sm shadow-lg">Loading…</span>
        )}
      </div>
      <div aria-busy={isBusy} className={classes(isBusy && "opacity-50", className)}>
        {children}
      </div>
    </div>
  );
}

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" data-loading="" className={classes("animate-pulse rounded bg-sunken", className)} />;
}
