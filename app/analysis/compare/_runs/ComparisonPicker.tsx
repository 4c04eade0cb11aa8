"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ComparedConfiguration } from "#server/db/runs/comparedRuns.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { MethodDot } from "#app/_ui/MethodChip.tsx";
import type { Compared } from "./comparedAddress.ts";

type Props = {
  configurations: readonly ComparedConfiguration[];
  names: ReadonlyMap<number, string>;
  compared: Compared;
  onChange: (compared: Compared) => void;
};

/** Selection of the compared configurations: removes them, and adds configurations of any sweep. */
export function ComparisonPicker({ configurations, names, compared, onChange }: Props) {
  const takeOut = ({ cellId, runs }: ComparedConfiguration) =>
    onChange({
      cellIds: compared.cellIds.filter((id) => id !== cellId),
      runIds: compared.runIds.filter((id) => !runs.some((run) => run.id === id)),
    });
  const methods = configurations.map(({ method }) => method);
  return (
    <div className="mb-4 flex flex-wrap items-end gap-2">
      <ul aria-label="Compared" className="flex flex-wrap gap-1.5">
        {configurations.map((one) => (
          <li
            key={one.cellId}
            className="flex items-center rounded-md border border-line bg-surface py-0.5 pr-1 pl-2 text-sm"
          >
            <MethodDot name={one.method} names={methods} />
            {names.get(one.cellId)}
            <button
              type="button"
              aria-label={`Take out ${names.get(one.cellId) ?? ""}`}
              className="ml-1 rounded p-1 text-muted hover:bg-sunken"
              onClick={() => takeOut(one)}
            >
              <Icon name="cross" className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      <AddConfiguration
        chosen={configurations.map(({ cellId }) => cellId)}
        onAdd={(cellId) => onChange({ ...compared, cellIds: [...compared.cellIds, cellId].slice(0, maxCompared) })}
      />
    </div>
  );
}

function AddConfiguration({ chosen, onAdd }: { chosen: readonly number[]; onAdd: (cellId: number) => void }) {
  const trpc = useTrpc();
  const [sweepId, setSweepId] = useState("");
  const { data: sweeps = [] } = useQuery(trpc.sweep.list.queryOptions());
  const { data: grid } = useQuery(trpc.run.grid.queryOptions({ sweepIds: [sweepId] }, { enabled: sweepId !== "" }));
  const cells = (grid?.cells ?? []).filter(({ id }) => !chosen.includes(id));
  return (
    <div className="flex flex-wrap gap-2">
      <Choice
        label="Add from sweep"
        options={[
          { value: "", label: "Add from a sweep…" },
          ...sweeps.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={sweepId}
        onChange={setSweepId}
        className="max-w-56"
      />
      {sweepId !== "" && (
        <Choice
          label="Add configuration"
          options={[
            { value: "", label: "Configuration…" },
            ...cells.map(({ id, method, label }) => ({
              value: String(id),
              label: [method, label].filter((part) => part !== "").join(" · "),
            })),
          ]}
          value=""
          onChange={(id) => {
            if (id !== "") onAdd(Number(id));
          }}
          className="max-w-56"
        />
      )}
    </div>
  );
}
