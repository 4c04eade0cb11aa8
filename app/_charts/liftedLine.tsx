"use client";
import { createContext, use, useState, type ReactNode } from "react";

type Lifted = [id: string | null, lift: (id: string | null) => void];

const LiftedContext = createContext<Lifted>([null, () => {}]);

/** Charts and legends inside lift the same line: the one pointed at, by its legend entry's id. */
export function LiftedLineProvider({ children }: { children: ReactNode }) {
  const lifted = useState<string | null>(null);
  return <LiftedContext value={lifted}>{children}</LiftedContext>;
}

export function useLiftedLine(): Lifted {
  return use(LiftedContext);
}
