"use client";

import { type ComponentProps, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { makeStore } from "../_ui/store.ts";
import type { FigureDrawing } from "./FigureDrawing.tsx";

type Loaded = { Drawing?: typeof FigureDrawing; error?: unknown };

const loaded = makeStore<Loaded>({});

/** Loads `FigureDrawing` and recharts once. Later figures are drawn synchronously, as exported files require. */
export async function loadDrawing(): Promise<void> {
  if (loaded.read().Drawing) return;
  const next = await import("./FigureDrawing.tsx").then(
    (module): Loaded => ({ Drawing: module.FigureDrawing }),
    (error: unknown): Loaded => ({ error }),
  );
  loaded.write(next);
}

/** Draws a `FigureDrawing`, or reserves its height until its code is loaded. Throws if loading failed. */
export function LazyDrawing(props: ComponentProps<typeof FigureDrawing>) {
  const { Drawing, error } = useSyncExternalStore(loaded.subscribe, loaded.read, loaded.read);
  useEffect(() => void loadDrawing(), []);
  if (error !== undefined) throw error;
  return Drawing ? <Drawing {...props} /> : <div style={{ height: props.height }} aria-busy="true" data-loading="" />;
}

type Props = {
  height: number;
  /** Distance from the visible part of the page, in pixels, at which the children are mounted. */
  marginPx?: number;
  onNear?: () => void;
  children: ReactNode;
};

/** Mounts its children once they come near the viewport; a chart never scrolled into view costs no rendering time. */
export function LazyMount({ height, marginPx = 300, onNear, children }: Props) {
  const [isNear, setIsNear] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNear || !box.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        setIsNear(true);
        onNear?.();
      },
      { rootMargin: `${marginPx}px` },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [isNear, marginPx, onNear]);
  return (
    <div ref={box} style={{ minHeight: height }} data-loading={isNear ? undefined : ""}>
      {isNear && children}
    </div>
  );
}
