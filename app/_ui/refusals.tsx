"use client";
import { createContext, use, type ReactNode } from "react";
import type { Access } from "#server/domain/people/access.ts";

/** For each permission that the signed-in person lacks, the reason; permissions that the person has are absent. */
export type Refusals = Partial<Record<Access, string>>;

// Reasons for missing permissions. The default disables no button; the server refuses forbidden actions in any case.
const RefusalContext = createContext<Refusals>({});

export function RefusalProvider({ refusals, children }: { refusals: Refusals; children: ReactNode }) {
  return <RefusalContext value={refusals}>{children}</RefusalContext>;
}

/** Returns the reason why the signed-in person lacks this permission; undefined if the permission is granted. */
export function useRefusal(needs: Access): string | undefined {
  return use(RefusalContext)[needs];
}
