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
 * Joins sweep names: "A, B and C", "A; B and C" if a name has a comma, or "A and 4 more" beyond three.
 * @testing
 */
export function nameSource(names: readonly string[]): string {
  const [first = "", ...others] = new Set(names);
  if (others.length > 2) return `${first} and ${others.length} more`;
  const separator = [first, ...others].some((name) => name.includes(",")) ? "; " : ", ";
  const last = others.pop();
  return last === undefined ? first : `${[first, ...others].join(separator)} and ${last}`;
}
