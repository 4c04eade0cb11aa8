"use client";
import { useState } from "react";
import { Card } from "#app/_ui/Card.tsx";
import { Input } from "#app/_ui/Input.tsx";
import type { Draft } from "./draft.ts";
import { setValue } from "./edits.ts";
import { HyperparameterField } from "./HyperparameterField.tsx";
import type { FieldIssue } from "./levels.ts";
import { prepareGroups } from "./prepareGroups.ts";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

const openAtFirst = ["budget", "optimizer"];

/** Every hyperparameter: empty means the default, one value sets it, several make it an axis. */
export function HyperparametersSection({ draft, edit, issues }: Props) {
  const [filter, setFilter] = useState("");
  const groups = prepareGroups(draft, filter);
  const search = (
    <Input
      type="search"
      aria-label="Filter hyperparameters"
      placeholder="Filter, e.g. learning rate"
      className="sm:w-64"
      value={filter}
      onChange={({ target }) => setFilter(target.value)}
    />
  );
  return (
    <Card title="Hyperparameters" actions={search}>
      <p className="mb-3 max-w-prose text-sm text-muted">
        Empty fields take the default shown in them. Several values make an axis: 1e-4, 3e-4 trains every method with
        both.
      </p>
      {groups.length === 0 && <p className="text-muted">No hyperparameter matches “{filter}”.</p>}
      <div className="flex flex-col divide-y divide-line">
        {groups.map((group) => (
          <details key={group.id} open={filter !== "" || group.numSet > 0 || openAtFirst.includes(group.id)}>
            <summary className="py-2 font-medium">
              {group.title}{" "}
              <span className="text-xs font-normal text-muted">
                {group.fields.length}
                {group.numSet > 0 && `, ${group.numSet} set`}
              </span>
            </summary>
            <div className="grid gap-x-4 gap-y-3 pt-1 pb-4 sm:grid-cols-2 xl:grid-cols-3">
              {group.fields.map((field) => (
                <HyperparameterField
                  key={field.path}
                  field={field}
                  text={draft.values[field.path] ?? ""}
                  problem={issues.find((issue) => issue.field === `values.${field.path}`)?.message}
                  onChange={(text) => edit(setValue(draft, field.path, text))}
                />
              ))}
            </div>
          </details>
        ))}
      </div>
    </Card>
  );
}
