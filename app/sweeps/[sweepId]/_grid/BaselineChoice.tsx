"use client";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Choice } from "#app/_ui/Choice.tsx";

type Props = {
  sweepId: string;
  baselineId: number | null;
  cells: readonly { id: number; name: string }[];
};

/** Pins the configuration that the rows say their difference from. */
export function BaselineChoice({ sweepId, baselineId, cells }: Props) {
  const trpc = useTrpc();
  const pin = useAction(trpc.sweep.pinBaseline.mutationOptions(), {
    stale: [trpc.sweep.headline.queryFilter({ id: sweepId }), trpc.series.references.queryFilter()],
  });
  const options = [{ value: "", label: "none" }, ...cells.map(({ id, name }) => ({ value: String(id), label: name }))];
  return (
    <div className="mb-2 flex justify-end text-sm text-muted">
      <Choice
        label="Baseline"
        labelled="beside"
        options={options}
        value={baselineId === null ? "" : String(baselineId)}
        onChange={(value) => pin.mutate({ id: sweepId, cellId: value === "" ? null : Number(value) })}
      />
    </div>
  );
}
