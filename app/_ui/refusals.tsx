"use client";
import { createContext, use, type ReactNode } from "react";
import type { Access } from "#server/domain/people/access.ts";

/** By kind of door, why the person who looks may not pass it; what they may do is absent. */
export type Refusals = Partial<Record<Access, string>>;

// Empty, nothing is held back here: the server refuses by itself.
const RefusalContext = createContext<Refusals>({});

export function RefusalProvider({ refusals, children }: { refusals: Refusals; children: ReactNode }) {
  return <RefusalContext value={refusals}>{children}</RefusalContext>;
}

/** Why the person who looks may not do such a thing; undefined where they may. */
export function useRefusal(needs: Access): string | undefined {
  return use(RefusalContext)[needs];
}
