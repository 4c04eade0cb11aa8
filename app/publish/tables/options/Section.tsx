import type { ReactNode } from "react";

/** Options of one kind under a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5 rounded-lg border border-line bg-surface p-3">
      <legend className="float-left mb-1 w-full font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}
