"use client";
import type { Level } from "#server/domain/plan/sweep/dimensionTexts.ts";
import { classes } from "#app/_ui/classes.ts";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import type { DimensionId, Draft } from "../draft/draft.ts";
import { setLevels, toggleLevel } from "../draft/edits.ts";
import { fieldsOfLevel } from "../draft/fields.ts";
import { LevelFields } from "./LevelFields.tsx";
import { defaultLevel, type FieldIssue } from "../draft/levels.ts";

type Props = {
  dimension: DimensionId;
  level: Level;
  /** Chosen methods that have this level. */
  users: readonly string[];
  draft: Draft;
  edit: (draft: Draft) => void;
  issues: readonly FieldIssue[];
};

/** One level: its meaning, the chosen methods that have it, and its parameters once it is ticked. */
export function LevelCard({ dimension, level, users, draft, edit, issues }: Props) {
  const all = draft.grid[dimension];
  const settings = all.map((setting, i) => ({ setting, i })).filter(({ setting }) => setting.kind === level.id);
  const isTicked = settings.length > 0;
  const hasFields = fieldsOfLevel(dimension, level.id).length > 0;
  return (
    <div
      className={classes(
        "rounded-md border px-3 py-2",
        isTicked ? "border-accent bg-accent/5" : users.length > 0 ? "border-edge/60" : "border-line",
      )}
    >
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          checked={isTicked}
          onChange={() => edit(toggleLevel(draft, dimension, level.id))}
        />
        <span className="min-w-0">
          <span className="font-medium">{level.title}</span>
          <span className="block text-xs text-muted">{level.sentence}</span>
        </span>
      </label>
      {users.length > 0 && <Users names={users} />}
      {hasFields &&
        settings.map(({ setting, i }, n) => (
          <LevelFields
            key={i}
            dimension={dimension}
            setting={setting}
            title={settings.length > 1 ? `Setting ${n + 1}` : undefined}
            problemOf={(path) => issues.find(({ field }) => field === `grid.${dimension}.${i}.${path}`)?.message}
            onChange={(changed) => edit(setLevels(draft, dimension, all.with(i, changed)))}
            onRemove={() => edit(setLevels(draft, dimension, all.toSpliced(i, 1)))}
          />
        ))}
      {hasFields && isTicked && (
        <button
          type="button"
          className="mt-2 ml-6 text-xs text-accent hover:underline"
          onClick={() => edit(setLevels(draft, dimension, [...all, defaultLevel(dimension, level.id)]))}
        >
          Another setting
        </button>
      )}
    </div>
  );
}

const maxUsers = 4;

/** The chosen methods that have a level; of many, the first few and the number of others. */
function Users({ names }: { names: readonly string[] }) {
  const shown = names.length > maxUsers + 1 ? names.slice(0, maxUsers) : names;
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-1 pl-6">
      {shown.map((name) => (
        <MethodChip key={name} name={name} names={names} />
      ))}
      {shown.length < names.length && (
        <span className="text-xs text-muted" title={names.slice(maxUsers).join(", ")}>
          and {names.length - shown.length} more
        </span>
      )}
    </div>
  );
}
