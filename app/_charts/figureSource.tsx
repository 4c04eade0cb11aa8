"use client";
import { createContext, use, type ReactNode } from "react";

const FigureSourceContext = createContext("");

/** Provides the names of the sweeps or the run to the figures below, which add them to file names and captions. */
export function FigureSourceProvider({ names, children }: { names: readonly string[]; children: ReactNode }) {
  return <FigureSourceContext value={nameSource(names)}>{children}</FigureSourceContext>;
}

export function useFigureSource(): string {
  return use(FigureSourceContext);
}

/**
 * Joins sweep names: "A, B and C", or "A and 4 more" beyond three.
 * @testing
 */
export function nameSource(names: readonly string[]): string {
  const [first = "", ...others] = new Set(names);
  if (others.length > 2) return `${first} and ${others.length} more`;
  // Names contain commas ("Table 3, Sokoban"), so the names are joined, never the text.
  const last = others.pop();
  return last === undefined ? first : `${[first, ...others].join(", ")} and ${last}`;
}
