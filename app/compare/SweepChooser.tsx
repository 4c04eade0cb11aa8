"use client";
import { Checkbox } from "#app/_ui/Checkbox.tsx";

type Props = {
  sweeps: readonly { id: string; name: string; numRuns: number }[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
};

/** Which sweeps are compared; the last one cannot be taken away. */
export function SweepChooser({ sweeps, chosen, onChange }: Props) {
  return (
    <details className="relative">
      <summary className="control flex items-center text-sm">
        {chosen.length === 1 ? "Add other sweeps" : `${chosen.length} sweeps`}
      </summary>
      <ul className="absolute z-10 mt-1 max-h-80 w-72 max-w-[80vw] overflow-auto rounded-md border border-line bg-surface p-2 shadow-lg">
        {sweeps.map(({ id, name, numRuns }) => {
          const isChosen = chosen.includes(id);
          return (
            <li key={id}>
              <Checkbox
                className="w-full px-1 py-1"
                label={
                  <span>
                    {name} <span className="text-xs text-muted">{numRuns} runs</span>
                  </span>
                }
                checked={isChosen}
                disabled={isChosen && chosen.length === 1}
                onChange={() => onChange(isChosen ? chosen.filter((other) => other !== id) : [...chosen, id])}
              />
            </li>
          );
        })}
      </ul>
    </details>
  );
}
