"use client";
import { useState } from "react";
import { Card } from "#app/_ui/Card.tsx";
import { Input } from "#app/_ui/Input.tsx";
import type { Draft } from "../draft/draft.ts";
import { isPartOn, setValue, switchPart } from "../draft/edits.ts";
import { HyperparameterField } from "../fields/HyperparameterField.tsx";
import type { FieldIssue } from "../draft/levels.ts";
import { OptionalFields } from "../fields/OptionalFields.tsx";
import { prepareGroups, type FieldGroup, type GroupItem } from "./prepareGroups.ts";

type Props = {
  draft: Draft;
  edit: (draft: Draft) => void;
  issues: readonly FieldIssue[];
  /** Execution providers that no node supports, with the reasons. */
  absent: Readonly<Record<string, string>>;
};

/** Every hyperparameter: empty means the default, one value sets it, several make it an axis. */
export function HyperparametersSection({ draft, edit, issues, absent }: Props) {
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
        both. Where a field may be off, “off” is a value too.
      </p>
      {groups.length === 0 && <p className="text-muted">No hyperparameter matches “{filter}”.</p>}
      <div className="flex flex-col divide-y divide-line">
        {groups.map((group) => (
          <details key={group.id} open={filter !== "" || group.isOpen || hasIssue(group, issues)}>
            <summary className="py-2 font-medium">
              {group.title}{" "}
              <span className="text-xs font-normal text-muted">
                {group.numFields}
                {group.numSet > 0 && `, ${group.numSet} set`}
              </span>
            </summary>
            {group.items.map((item) => (
              <Item key={item.fields[0]?.path} {...{ item, draft, edit, issues, absent }} />
            ))}
          </details>
        ))}
      </div>
    </Card>
  );
}

function Item({ item: { part, fields }, draft, edit, issues, absent }: Props & { item: GroupItem }) {
  const grid = (
    <div className="grid gap-x-4 gap-y-3 pt-1 pb-4 sm:grid-cols-2 xl:grid-cols-3">
      {fields.map((field) => (
        <HyperparameterField
          key={field.path}
          field={field}
          text={draft.values[field.path] ?? ""}
          problem={problemOf(field.path, issues)}
          absent={field.path === "execution.provider" ? absent : undefined}
          onChange={(text) => edit(setValue(draft, field.path, text))}
        />
      ))}
    </div>
  );
  if (part === undefined) return grid;
  return (
    <OptionalFields
      part={part}
      isOn={isPartOn(draft, part)}
      problem={problemOf(part, issues)}
      onSwitch={(isOn) => edit(switchPart(draft, part, isOn))}
      className="pt-1 pb-4"
    >
      <div className="mt-2 border-l border-line pl-4 [&>*]:pb-0">{grid}</div>
    </OptionalFields>
  );
}

function problemOf(path: string, issues: readonly FieldIssue[]): string | undefined {
  return issues.find((issue) => issue.field === `values.${path}`)?.message;
}

function hasIssue({ items }: FieldGroup, issues: readonly FieldIssue[]): boolean {
  const paths = items.flatMap(({ part, fields }) => [...fields.map(({ path }) => path), ...(part ? [part] : [])]);
  return paths.some((path) => problemOf(path, issues) !== undefined);
}
