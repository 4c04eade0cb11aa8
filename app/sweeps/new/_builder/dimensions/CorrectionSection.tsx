"use client";
import { Button } from "#app/_ui/Button.tsx";
import { Checkbox } from "#app/_ui/Checkbox.tsx";
import { startCorrection } from "../draft/correctionDraft.ts";
import type { CorrectionDraft, Draft } from "../draft/draft.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { CorrectionFields } from "./CorrectionFields.tsx";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

/** The corrections of the grid: every combination of levels is trained with each of them, and without if that is ticked. */
export function CorrectionSection({ draft, edit, issues }: Props) {
  const all = draft.grid.correction;
  const set = (correction: (CorrectionDraft | null)[]) => edit({ ...draft, grid: { ...draft.grid, correction } });
  const problems = issues.flatMap(({ field, message }) => (field === "grid.correction" ? [message] : []));
  const numAsked = all.filter((one) => one !== null).length;
  return (
    <fieldset className="mt-4 min-w-0 border-t border-line pt-3">
      <legend className="float-left mb-2 w-full">
        <span className="block font-medium">Correction</span>
        <span className="block text-xs text-muted">
          What is done where the sampler is another policy, older or rounded? Weights, rejections, the proximal policy,
          the step.
        </span>
      </legend>
      <div className="clear-both flex flex-col gap-3">
        {[...new Set(problems)].map((problem) => (
          <p key={problem} className="text-xs text-bad">
            {problem}
          </p>
        ))}
        {all.map((one, i) =>
          one === null ? null : (
            <CorrectionFields
              key={i}
              title={numAsked > 1 ? `Correction ${i + 1}` : undefined}
              correction={one}
              problemOf={(field) => issues.find((issue) => issue.field === `grid.correction.${i}.${field}`)?.message}
              onChange={(changed) => set(all.with(i, changed))}
              onRemove={() => set(numAsked > 1 ? all.toSpliced(i, 1) : [])}
            />
          ),
        )}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button onClick={() => set([...all, startCorrection()])}>
            {numAsked > 0 ? "Another correction" : "Add a correction"}
          </Button>
          {numAsked > 0 && (
            <Checkbox
              label="Also without a correction"
              checked={all.includes(null)}
              onChange={({ target }) => set(target.checked ? [...all, null] : all.filter((one) => one !== null))}
            />
          )}
        </div>
      </div>
    </fieldset>
  );
}
