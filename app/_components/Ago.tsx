"use client";

import { Cell } from "#app/_ui/Table.tsx";
import { useNow } from "./useNow.ts";

export function Ago({ at }: { at: Date | null }) {
  const nowMs = useNow();
  if (at === null) return "never";
  return (
    <time dateTime={at.toISOString()} title={nowMs === undefined ? undefined : at.toLocaleString()}>
      {nowMs === undefined ? at.toISOString().slice(0, 10) : formatAgo(at, nowMs)}
    </time>
  );
}

export function AgoCell({ at }: { at: Date | null }) {
  return (
    <Cell className="whitespace-nowrap text-muted">
      <Ago at={at} />
    </Cell>
  );
}

/** Formats a relative time in words; beyond a week, as a date. A time slightly in the future is "just now". */
export function formatAgo(at: Date, nowMs: number): string {
  const minutes = Math.floor((nowMs - at.getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 7) return days === 1 ? "yesterday" : `${days} days ago`;
  return at.toISOString().slice(0, 10);
}
