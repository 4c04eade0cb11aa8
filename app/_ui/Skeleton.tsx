import { classes } from "./classes.ts";

/** Placeholder for content that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" data-loading="" className={classes("animate-pulse rounded bg-sunken", className)} />;
}
