"use client";
import { formatCount } from "#app/_charts/format.ts";
import { MultiChoice } from "#app/_ui/MultiChoice.tsx";

type Props = {
  sweeps: readonly { id: string; name: string; numRuns: number }[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
};

/** Selection of the compared sweeps; the last one cannot be removed. */
export function SweepChooser({ sweeps, chosen, onChange }: Props) {
  const options = sweeps.map(({ id, name, numRuns }) => ({
    value: id,
    label: (
      <span>
        {name} <span className="text-xs text-muted">{formatCount(numRuns, "run")}</span>
      </span>
    ),
  }));
  return (
    <MultiChoice
      label="Sweeps"
      button={chosen.length === 1 ? "Add other sweeps" : formatCount(chosen.length, "sweep")}
      options={options}
      chosen={chosen}
      fewest={1}
      onChange={onChange}
    />
  );
}
