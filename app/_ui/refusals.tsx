"use client";
import { createContext, use, type ReactNode } from "react";
import type { Access } from "#server/domain/people/access.ts";

/** By permission, the reason why the signed-in person lacks it; granted ones are absent. */
export type Refusals = Partial<Record<Access, string>>;

// Default: nothing is disabled, because the server refuses by itself.
const RefusalContext = createContext<Refusals>({});

export function RefusalProvider({ refusals, children }: { refusals: Refusals; children: ReactNode }) {
  return <RefusalContext value={refusals}>{children}</RefusalContext>;
}

/** The reason why the signed-in person may not do this; undefined if they may. */
export function useRefusal(needs: Access): string | undefined {
  return use(RefusalContext)[needs];
}
