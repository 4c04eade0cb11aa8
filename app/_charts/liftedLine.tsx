"use client";
import { createContext, use, useMemo, useState, type ReactNode } from "react";

type Lifted = [lifted: ReadonlySet<string>, lift: (...ids: string[]) => void];

const LiftedContext = createContext<Lifted | null>(null);
const none: ReadonlySet<string> = new Set();
const unlifted: Lifted = [none, () => {}];

/** Provides the ids of highlighted lines to all charts below. Of nested providers, the outermost one is used. */
export function LiftedLineProvider({ children }: { children: ReactNode }) {
  const outer = use(LiftedContext);
  const [lifted, setLifted] = useState(none);
  const own = useMemo((): Lifted => [lifted, (...ids) => setLifted(ids.length === 0 ? none : new Set(ids))], [lifted]);
  return <LiftedContext value={outer ?? own}>{children}</LiftedContext>;
}

/** Returns true if this line is dimmed because another line is highlighted. */
export function isBehind(id: string, lifted: ReadonlySet<string>): boolean {
  return lifted.size > 0 && !lifted.has(id);
}

export function useLiftedLine(): Lifted {
  return use(LiftedContext) ?? unlifted;
}
