import type { ReactNode } from "react";
import { Checkbox } from "#app/_ui/Input.tsx";

type Props = {
  title: string;
  all: readonly string[];
  without: readonly string[];
  onToggle: (name: string) => void;
};

/** Checkboxes for the rows or environments that a table shows; the last one cannot be unchecked. */
export function Kept({ title, all, without, onToggle }: Props) {
  const numKept = all.filter((name) => !without.includes(name)).length;
  return (
    <details>
      <summary className="text-sm font-medium">
        {title}{" "}
        <span className="font-normal text-muted">
          {numKept} of {all.length}
        </span>
      </summary>
      <div className="mt-1 flex max-h-56 flex-col gap-1 overflow-auto text-sm">
        {all.map((name) => {
          const isKept = !without.includes(name);
          return (
            <Checkbox
              key={name}
              label={name}
              checked={isKept}
              disabled={isKept && numKept === 1}
              onChange={() => onToggle(name)}
            />
          );
        })}
      </div>
    </details>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5 rounded-lg border border-line bg-surface p-3">
      <legend className="float-left mb-1 w-full font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}
