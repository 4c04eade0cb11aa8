"use client";
import type { Coupling } from "#server/domain/plan/sweep/couplings.ts";
import type { Dimension } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { resolveMethod } from "#server/domain/plan/sweep/methodChoice.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import type { Draft } from "../draft/draft.ts";
import { LevelCard } from "./LevelCard.tsx";
import { kindOf, type FieldIssue } from "../draft/levels.ts";

type Props = {
  dimension: Dimension;
  couplings: readonly Coupling[];
  draft: Draft;
  edit: (draft: Draft) => void;
  issues: readonly FieldIssue[];
};

export function DimensionColumn({ dimension, couplings, draft, edit, issues }: Props) {
  const chosen = draft.methods.map(resolveMethod);
  const problems = issues.flatMap(({ field, message }) => (field === `grid.${dimension.id}` ? [message] : []));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2">
        <span className="block font-medium">{dimension.title}</span>
        <span className="block text-xs text-muted">{dimension.question}</span>
      </legend>
      <div className="flex flex-col gap-2">
        {couplings.map(({ text, severity }) => (
          <p key={text} className="flex gap-1.5 rounded-md bg-warn/10 px-2 py-1.5 text-xs">
            <Icon name={severity === "note" ? "info" : "warning"} className="mt-0.5 size-3.5 shrink-0 text-warn" />
            {text}
          </p>
        ))}
        {[...new Set(problems)].map((problem) => (
          <p key={problem} className="text-xs text-bad">
            {problem}
          </p>
        ))}
        {dimension.levels.map((level) => (
          <LevelCard
            key={level.id}
            dimension={dimension.id}
            level={level}
            users={chosen.filter(({ method }) => kindOf(method[dimension.id]) === level.id).map(({ label }) => label)}
            draft={draft}
            edit={edit}
            issues={issues}
          />
        ))}
      </div>
    </fieldset>
  );
}
