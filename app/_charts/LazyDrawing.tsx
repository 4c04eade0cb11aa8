"use client";

import { type ComponentProps, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { FigureDrawing } from "./FigureDrawing.tsx";

type Loaded = { Drawing?: typeof FigureDrawing; error?: unknown };

let loaded: Loaded = {};
const listeners = new Set<() => void>();

/**
 * Loads `FigureDrawing` and recharts once. Figures rendered afterwards are drawn synchronously, as exported files
 * require.
 */
export async function loadDrawing(): Promise<void> {
  if (loaded.Drawing) return;
  try {
    loaded = { Drawing: (await import("./FigureDrawing.tsx")).FigureDrawing };
  } catch (error) {
    loaded = { error };
  }
  for (const listener of listeners) listener();
}

/**
 * Draws a `FigureDrawing`; until its code is loaded, only the figure's height is reserved. Throws if loading failed.
 */
export function LazyDrawing(props: ComponentProps<typeof FigureDrawing>) {
  const { Drawing, error } = useSyncExternalStore(listen, read, read);
  useEffect(() => void loadDrawing(), []);
  if (error !== undefined) throw error;
  return Drawing ? <Drawing {...props} /> : <div style={{ height: props.height }} aria-busy="true" data-loading="" />;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): Loaded {
  return loaded;
}

type Props = {
  height: number;
  /** Distance from the visible part of the page, in pixels, at which the children are mounted. */
  marginPx?: number;
  children: ReactNode;
};

/** Mounts its children once they come near the viewport; a chart never scrolled into view costs no rendering time. */
export function LazyMount({ height, marginPx = 300, children }: Props) {
  const [isNear, setIsNear] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNear || !box.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setIsNear(true),
      { rootMargin: `${marginPx}px` },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isNear, marginPx]);
  return (
    <div ref={box} style={{ minHeight: height }} data-loading={isNear ? undefined : ""}>
      {isNear && children}
    </div>
  );
}
