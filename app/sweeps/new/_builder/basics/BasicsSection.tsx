"use client";
import { formatCount } from "#app/_charts/format.ts";
import { Card } from "#app/_ui/Card.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Input } from "#app/_ui/Input.tsx";
import type { Draft } from "../draft/draft.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { suggestName } from "./suggestName.ts";
import { parseSeeds } from "../draft/texts.ts";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

/** Fields for name, seeds and note. */
export function BasicsSection({ draft, edit, issues }: Props) {
  const problemOf = (name: string) => issues.find(({ field }) => field === name)?.message;
  const numSeeds = parseSeeds(draft.seeds).values.length;
  return (
    <Card>
      <div className="grid gap-3 sm:grid-cols-[2fr_1fr]">
        <Field label="Name" error={problemOf("name")}>
          {(wiring) => (
            <Input
              {...wiring}
              value={draft.name}
              placeholder={suggestName(draft) || "Named after its methods if left empty"}
              onChange={({ target }) => edit({ ...draft, name: target.value })}
            />
          )}
        </Field>
        <Field
          label="Seeds"
          error={problemOf("seeds")}
          hint={`${formatCount(numSeeds, "seed")}: a run of every cell for each. Ranges and lists: 0-4, 7`}
        >
          {(wiring) => (
            <Input {...wiring} value={draft.seeds} onChange={({ target }) => edit({ ...draft, seeds: target.value })} />
          )}
        </Field>
        <Field label="Note" error={problemOf("description")} className="sm:col-span-2">
          {(wiring) => (
            <Input
              {...wiring}
              value={draft.description}
              placeholder="Question that this sweep answers"
              onChange={({ target }) => edit({ ...draft, description: target.value })}
            />
          )}
        </Field>
      </div>
    </Card>
  );
}
