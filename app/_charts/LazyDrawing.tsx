"use client";
import { useEffect, useSyncExternalStore, type ComponentProps } from "react";
import type { FigureDrawing } from "./FigureDrawing.tsx";

type Loaded = { Drawing?: typeof FigureDrawing; error?: unknown };

let loaded: Loaded = {};
const listeners = new Set<() => void>();

/** Loads recharts with the first figure. Afterwards figures are drawn synchronously, as files and reports need them. */
export async function loadDrawing(): Promise<void> {
  if (loaded.Drawing) return;
  try {
    loaded = { Drawing: (await import("./FigureDrawing.tsx")).FigureDrawing };
  } catch (error) {
    loaded = { error };
  }
  for (const listener of listeners) listener();
}

/** A `FigureDrawing`, with its height reserved until it is loaded. */
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
