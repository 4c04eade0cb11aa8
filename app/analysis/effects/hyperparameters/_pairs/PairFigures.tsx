"use client";
import { Card } from "#app/_ui/Card.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { textPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import type { Looks } from "../_study/looks.ts";
import { inWords, type Study, type StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { HeatmapTable } from "./HeatmapTable.tsx";
import { ScatterFigure } from "./ScatterFigure.tsx";

const downPart = textPart("down");
const acrossPart = textPart("across");
const xPart = textPart("x");
const upPart = textPart("up");

type Props = { study: Study; looks: Looks; isBrushed: readonly boolean[] };

/** Figures of two columns: means over two hyperparameters, and runs over any two columns. */
export function PairFigures({ study, looks, isBrushed }: Props) {
  const { parameters, columns, outcome } = study;
  const all = columns.some(({ key }) => key === outcome.key) ? columns : [...columns, inWords(outcome)];
  const [down, setDown] = useColumn(downPart, parameters, parameters[0]);
  const [across, setAcross] = useColumn(acrossPart, parameters, parameters[1]);
  const [x, setX] = useColumn(xPart, all, parameters.find(({ scale }) => scale.kind === "numeric") ?? parameters[0]);
  const [up, setUp] = useColumn(upPart, all, inWords(outcome));
  return (
    <section aria-label="Two at a time">
      <h2 className="mb-2 text-lg font-semibold">Two at a time</h2>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        {down && across && (
          <Card
            title={`Mean ${outcome.title.toLowerCase()}`}
            actions={
              <>
                <ColumnChoice label="Down" columns={parameters} value={down} onChange={setDown} />
                <ColumnChoice label="across" columns={parameters} value={across} onChange={setAcross} />
              </>
            }
          >
            <HeatmapTable down={down} across={across} outcome={outcome} />
          </Card>
        )}
        {x && up && (
          <div className="min-w-0 space-y-2">
            <div className="flex flex-wrap gap-2">
              <ColumnChoice label="Up" columns={all} value={up} onChange={setUp} />
              <ColumnChoice label="over" columns={all} value={x} onChange={setX} />
            </div>
            <ScatterFigure across={x} up={up} looks={looks} isBrushed={isBrushed} />
          </div>
        )}
      </div>
    </section>
  );
}

function useColumn(
  part: typeof downPart,
  columns: readonly StudyColumn[],
  usual: StudyColumn | undefined,
): [StudyColumn | undefined, (key: string) => void] {
  const [key, setKey] = useAddress(part);
  return [columns.find((column) => column.key === key) ?? usual, setKey];
}

type ChoiceProps = {
  label: string;
  columns: readonly StudyColumn[];
  value: StudyColumn;
  onChange: (key: string) => void;
};

function ColumnChoice({ label, columns, value, onChange }: ChoiceProps) {
  const options = columns.map(({ key, title }) => ({ value: key, label: title }));
  return (
    <Choice
      label={label}
      labelled="beside"
      options={options}
      value={value.key}
      onChange={onChange}
      className="max-w-48"
    />
  );
}
