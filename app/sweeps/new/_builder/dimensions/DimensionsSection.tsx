"use client";
import { isMethodName, methodNames, methods } from "#trainer/spec/method.ts";
import { dimensionTexts } from "#server/domain/sweep/dimensionTexts.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Select } from "#app/_ui/Input.tsx";
import { AddPoint } from "./AddPoint.tsx";
import { DimensionColumn } from "./DimensionColumn.tsx";
import { dimensionIds, type Draft } from "../draft/draft.ts";
import { clearGrid, fillFrom } from "../draft/edits.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { prepareCouplings } from "./prepareCouplings.ts";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

/** The four dimensions side by side: who uses which level, and a grid of the ticked ones. */
export function DimensionsSection({ draft, edit, issues }: Props) {
  const couplings = prepareCouplings(draft);
  const isEmpty = dimensionIds.every((dimension) => draft.grid[dimension].length === 0);
  const actions = (
    <>
      <Select
        aria-label="Fill the four dimensions from a method"
        value=""
        onChange={({ target }) => isMethodName(target.value) && edit(fillFrom(draft, target.value))}
      >
        <option value="">Fill from a method…</option>
        {methodNames.map((name) => (
          <option key={name} value={name}>
            {methods[name].title}
          </option>
        ))}
      </Select>
      <Button disabled={isEmpty} onClick={() => edit(clearGrid(draft))}>
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
      <AddPoint draft={draft} edit={edit} />
    </Card>
  );
}
