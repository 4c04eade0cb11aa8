"use client";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { baselinePart } from "#app/_ui/baseline.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";

type Props = {
  sweepId: string;
  baselineId: number | null;
  /** The configuration pinned for everybody. */
  pinnedId: number | null;
  cells: readonly { id: number; name: string }[];
};

/** Chooses the baseline of the rows' differences, for this reader's address or pinned for everybody. */
export function BaselineChoice({ sweepId, baselineId, pinnedId, cells }: Props) {
  const trpc = useTrpc();
  const [, setBaseline] = useAddress(baselinePart);
  const pin = useAction(trpc.sweep.pinBaseline.mutationOptions(), {
    toast: "Everybody opens this sweep with this baseline",
    stale: [trpc.sweep.headline.queryFilter({ id: sweepId }), trpc.series.references.queryFilter()],
  });
  const options = [{ value: "", label: "none" }, ...cells.map(({ id, name }) => ({ value: String(id), label: name }))];
  const choose = (text: string) => {
    const cellId = text === "" ? null : Number(text);
    setBaseline(cellId === pinnedId ? undefined : cellId);
  };
  return (
    <div className="mb-2 flex items-center justify-end gap-2 text-sm text-muted">
      <Choice
        label="Baseline"
        labelled="beside"
        options={options}
        value={baselineId === null ? "" : String(baselineId)}
        onChange={choose}
      />
      {baselineId !== pinnedId && (
        <ActionButton
          kind="quiet"
          disabled={pin.isPending}
          title="Everybody who opens this sweep then sees differences from it"
          onClick={() => pin.mutate({ id: sweepId, cellId: baselineId })}
        >
          Pin
        </ActionButton>
      )}
    </div>
  );
}
