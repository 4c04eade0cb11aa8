"use client";
import { isMethodName, methodNames, methods } from "#trainer/spec/method.ts";
import { dimensionTexts } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Choice, type Option } from "#app/_ui/Choice.tsx";
import { AddPoint } from "./AddPoint.tsx";
import { CorrectionSection } from "./CorrectionSection.tsx";
import { DimensionColumn } from "./DimensionColumn.tsx";
import { hasGrid, type Draft } from "../draft/draft.ts";
import { clearGrid, fillFrom } from "../draft/edits.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { prepareCouplings } from "./prepareCouplings.ts";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

const fillings: readonly Option<string>[] = [
  { value: "", label: "Fill from a method…" },
  ...methodNames.map((value) => ({ value, label: methods[value].title })),
];

/** The four dimensions side by side: the chosen methods by level, and a grid of the ticked levels. */
export function DimensionsSection({ draft, edit, issues }: Props) {
  const couplings = prepareCouplings(draft);
  const actions = (
    <>
      <Choice
        label="Fill the four dimensions from a method"
        options={fillings}
        value=""
        onChange={(name) => isMethodName(name) && edit(fillFrom(draft, name))}
      />
      <Button disabled={!hasGrid(draft)} onClick={() => edit(clearGrid(draft))}>
        Clear
      </Button>
    </>
  );
  return (
    <Card title="Four dimensions" actions={actions}>
      <p className="mb-3 max-w-prose text-sm text-muted">
        A method is one level in each. Tick levels to train every combination of them beside the methods above; a
        dimension without a tick stays as in GRPO. A field may list several values: 0.2, 0.28.
      </p>
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {dimensionTexts.map((dimension) => (
          <DimensionColumn
            key={dimension.id}
            dimension={dimension}
            couplings={couplings[dimension.id]}
            draft={draft}
            edit={edit}
            issues={issues}
          />
        ))}
      </div>
      <CorrectionSection draft={draft} edit={edit} issues={issues} />
      <AddPoint draft={draft} edit={edit} />
    </Card>
  );
}
