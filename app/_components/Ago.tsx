"use client";
import { formatAgo } from "./formatAgo.ts";
import { useNow } from "./useNow.ts";

/** How long ago, kept true while the page is open; the exact local time on hover; "never" for null. */
export function Ago({ at }: { at: Date | null }) {
  const nowMs = useNow();
  if (at === null) return "never";
  return (
    <time dateTime={at.toISOString()} title={nowMs === undefined ? undefined : at.toLocaleString()}>
      {nowMs === undefined ? at.toISOString().slice(0, 10) : formatAgo(at, nowMs)}
    </time>
  );
}
