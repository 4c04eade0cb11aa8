"use client";
import { useEffect, useEffectEvent } from "react";

const actionOfKey: Readonly<Record<string, string>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

/** Arrow keys perform directions that are admissible, except in a field and where the page itself uses the keys. */
export function useActionKeys(admissible: readonly string[], onAct: (action: string) => void): void {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const action = actionOfKey[event.key];
    if (action === undefined || !admissible.includes(action)) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, [role=tab], dialog, pre"))
      return;
    event.preventDefault();
    onAct(action);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => listen(event);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
