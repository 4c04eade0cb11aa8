"use client";
import { useEffect, useEffectEvent } from "react";

/** Left and right arrow keys anywhere on the page, except where they already move something. */
export function useArrowKeys(onStep: (step: 1 | -1) => void): void {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : undefined;
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea, [role=tab], dialog")) return;
    event.preventDefault();
    onStep(step);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => listen(event);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
