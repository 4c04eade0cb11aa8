"use client";
import { environments, type EnvironmentId } from "#trainer/spec/environment.ts";
import { classes } from "#app/_ui/classes.ts";
import { environmentIds } from "#app/_components/episode/settings.ts";

type Props = { chosen: EnvironmentId; onChoose: (id: EnvironmentId) => void };

/** Buttons instead of a `Choice`: its radio buttons would take the arrow keys, which play the episode. */
export function EnvironmentPicker({ chosen, onChoose }: Props) {
  return (
    <div role="group" aria-label="Environment" className="flex flex-wrap gap-2">
      {environmentIds.map((id) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
          className={classes(
            "rounded-lg border px-4 py-2 font-medium max-sm:flex-1",
            id === chosen
              ? "border-accent bg-accent/12 text-text"
              : "border-line bg-surface text-muted hover:text-text",
          )}
        >
          {environments[id].title}
        </button>
      ))}
    </div>
  );
}
