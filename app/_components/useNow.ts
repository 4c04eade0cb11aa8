"use client";
import { useSyncExternalStore } from "react";

const everyMs = 1000;

/** The time in milliseconds, to the second, renewed each second; undefined on the server and while hydrating. */
export function useNow(): number | undefined {
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / everyMs) * everyMs,
    () => undefined,
  );
}

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, everyMs);
  return () => clearInterval(timer);
}
