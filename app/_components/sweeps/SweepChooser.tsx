"use client";
import { useId } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { Checkbox } from "#app/_ui/Checkbox.tsx";

type Props = {
  sweeps: readonly { id: string; name: string; numRuns: number }[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
};

/** Which sweeps are compared; the last one cannot be taken away. The browser closes it by Escape and by a click outside. */
export function SweepChooser({ sweeps, chosen, onChange }: Props) {
  const id = useId();
  return (
    <>
      <button type="button" popoverTarget={id} className="control inline-flex items-center gap-2 text-sm">
        {chosen.length === 1 ? "Add other sweeps" : formatCount(chosen.length, "sweep")}
        <span aria-hidden="true" className="text-muted">
          ▾
        </span>
      </button>
      <div
        id={id}
        popover="auto"
        className="m-1 max-h-80 w-72 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface p-2 text-text shadow-lg [position-area:bottom_span-right] [position-try:flip-inline,flip-block,flip-block_flip-inline]"
      >
        <ul aria-label="Sweeps">
          {sweeps.map(({ id: sweepId, name, numRuns }) => {
            const isChosen = chosen.includes(sweepId);
            return (
              <li key={sweepId}>
                <Checkbox
                  className="w-full px-1 py-1"
                  label={
                    <span>
                      {name} <span className="text-xs text-muted">{formatCount(numRuns, "run")}</span>
                    </span>
                  }
                  checked={isChosen}
                  disabled={isChosen && chosen.length === 1}
                  onChange={() =>
                    onChange(isChosen ? chosen.filter((other) => other !== sweepId) : [...chosen, sweepId])
                  }
                />
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
