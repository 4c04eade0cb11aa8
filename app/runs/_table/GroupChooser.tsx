"use client";
import type { Field } from "#server/domain/runtable/field.ts";
import { Choice } from "#app/_ui/Choice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";

type Props = { fields: readonly Field[]; groupBy: readonly string[]; onGroupBy: (keys: string[]) => void };

const first = ["method", "configuration", "environment", "sweep", "state", "hindsight", "alarm", "tags"];

/** Chooses the fields by which runs are grouped, in order. */
export function GroupChooser({ fields, groupBy, onGroupBy }: Props) {
  const offered = fields.filter(({ key, group }) => group !== "Metric" && key !== "run" && !groupBy.includes(key));
  const options = [
    { value: "", label: groupBy.length === 0 ? "No groups" : "then by …" },
    ...offered.filter(({ key }) => first.includes(key)).map(({ key, title }) => ({ value: key, label: title })),
    ...offered
      .filter(({ key }) => !first.includes(key))
      .map(({ key, title, group }) => ({ value: key, label: title, group })),
  ];
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {groupBy.map((key) => (
        <button
          key={key}
          type="button"
          aria-label={`Do not group by ${titleOf(fields, key)}`}
          className="control inline-flex items-center gap-1 bg-sunken"
          onClick={() => onGroupBy(groupBy.filter((one) => one !== key))}
        >
          {titleOf(fields, key)} <Icon name="cross" className="size-3" />
        </button>
      ))}
      {groupBy.length < 4 && (
        <Choice
          label="Group by"
          labelled={groupBy.length === 0 ? "beside" : "hidden"}
          options={options}
          value=""
          onChange={(key) => onGroupBy([...groupBy, key])}
          className="max-w-48"
        />
      )}
    </div>
  );
}

function titleOf(fields: readonly Field[], key: string): string {
  return fields.find((field) => field.key === key)?.title ?? key;
}
