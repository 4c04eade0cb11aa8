"use client";
import { pages } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { comparePath, maxCompared } from "#app/_components/comparePath.ts";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { MarkDialog } from "./MarkDialog.tsx";
import { MoreOfSelection } from "./MoreOfSelection.tsx";
import type { Selection } from "./useSelection.ts";

type Props = {
  selection: Selection;
  total: number;
  columns: readonly string[];
  onAll: () => void;
  areChartsOpen: boolean;
  onCharts: (areOpen: boolean) => void;
};

const maxSweepsCompared = 20;
/** Maximum number of ids in an address; more runs are named by a filter. */
const maxInAddress = 250;

/** Actions on the selected runs. */
export function SelectionBar({ selection, total, columns, onAll, areChartsOpen, onCharts }: Props) {
  const [marking, setMarking] = useState<"tags" | "note">();
  const ids = [...selection.ids.keys()];
  const sweepIds = [...new Set(selection.ids.values())];
  return (
    <div
      role="toolbar"
      aria-label="Selected runs"
      // On a phone one line that scrolls sideways: in five lines the table would begin below the middle of the screen.
      className="mb-2 flex flex-wrap items-center gap-1.5 max-md:flex-nowrap max-md:overflow-x-auto max-md:pb-1 max-md:whitespace-nowrap max-md:*:shrink-0"
    >
      <span className="mr-1 font-medium">{formatCount(ids.length, "run")} selected</span>
      {ids.length < total && <Button onClick={onAll}>Select all {total.toLocaleString("en-US")}</Button>}
      <Button kind="quiet" onClick={() => selection.replace([])}>
        Clear
      </Button>
      <Button aria-pressed={areChartsOpen} onClick={() => onCharts(!areChartsOpen)}>
        Charts
      </Button>
      {ids.length <= maxCompared && (
        <Link className={buttonClasses()} href={comparePath(ids)}>
          Compare
        </Link>
      )}
      {sweepIds.length <= maxSweepsCompared && (
        <Link
          className={buttonClasses()}
          href={`${pages.compare}?${sweepIds.map((id) => `sweep=${encodeURIComponent(id)}`).join("&")}`}
        >
          {sweepIds.length === 1 ? "Compare its sweep" : "Compare their sweeps"}
        </Link>
      )}
      {ids.length <= maxInAddress && (
        <Link
          className={buttonClasses()}
          href={`${pages.hyperparameters}?run=${ids.map(encodeURIComponent).join(",")}`}
        >
          Hyperparameters
        </Link>
      )}
      <Button onClick={() => setMarking("tags")}>Tags</Button>
      <Button onClick={() => setMarking("note")}>Note</Button>
      <ShareButton
        shared={{ kind: "selection", runIds: ids, columns: [...columns] }}
        what={`a table of these ${formatCount(ids.length, "run")}`}
      />
      <MoreOfSelection ids={ids} columns={columns} onDeleted={() => selection.replace([])} />
      <MarkDialog kind={marking} ids={ids} onClose={() => setMarking(undefined)} />
    </div>
  );
}
