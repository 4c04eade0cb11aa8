"use client";
import { createContext, use, useState, type ReactNode } from "react";

type Lifted = [id: string | null, lift: (id: string | null) => void];

const LiftedContext = createContext<Lifted | null>(null);
const unlifted: Lifted = [null, () => {}];

/** Charts, legends and rows inside lift the same line: the one pointed at, by its legend entry's id. The outermost counts. */
export function LiftedLineProvider({ children }: { children: ReactNode }) {
  const outer = use(LiftedContext);
  const lifted = useState<string | null>(null);
  return <LiftedContext value={outer ?? lifted}>{children}</LiftedContext>;
}

export function useLiftedLine(): Lifted {
  return use(LiftedContext) ?? unlifted;
}
