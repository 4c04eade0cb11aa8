import { useState } from "react";
import { Input } from "#app/_ui/Input.tsx";
import { isPartOn, setSetting, switchPart, textOf } from "./draft/settings.ts";
import { useForm } from "./form.tsx";
import { HyperparameterField, OptionalFields } from "./HyperparameterField.tsx";
import { prepareGroups, type FieldGroup, type GroupItem } from "./prepareGroups.ts";

/** Lists every hyperparameter: an empty field means the default, several values make it an axis. */
export function Hyperparameters() {
  const { file } = useForm();
  const [filter, setFilter] = useState("");
  const groups = prepareGroups(file, filter);
  return (
    <>
      <div className="mb-2 flex flex-wrap items-start gap-2">
        <p className="mr-auto max-w-prose text-sm text-muted">
          An empty field uses the default that the field shows. Write several values, such as 1e-4, 3e-4, to train every
          method with each value. Write “off” to switch an optional setting off.
        </p>
        <Input
          type="search"
          aria-label="Filter hyperparameters"
          placeholder="Filter, e.g. learning rate"
          className="sm:w-64"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </div>
      {groups.length === 0 && <p className="text-muted">No matches</p>}
      <div className="flex flex-col divide-y divide-line">
        {groups.map((group) => (
          <Group key={group.id} group={group} isFiltered={filter !== ""} />
        ))}
      </div>
    </>
  );
}

/** Group that a filter opens. Removing the filter does not close the group, so that no edited field disappears. */
function Group({ group, isFiltered }: { group: FieldGroup; isFiltered: boolean }) {
  const { problemOf } = useForm();
  const paths = group.items.flatMap(({ part, fields }) => [...fields.map(({ path }) => path), ...(part ? [part] : [])]);
  const isAsked = isFiltered || group.isOpen || paths.some((path) => problemOf(`base.${path}`) !== undefined);
  const [isOpen, setOpen] = useState(isAsked);
  const [wasAsked, setAsked] = useState(isAsked);
  if (isAsked !== wasAsked) {
    setAsked(isAsked);
    if (isAsked) setOpen(true);
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="py-2 font-medium">
        {group.title}{" "}
        <span className="text-xs font-normal text-muted">
          {group.numFields}
          {group.numSet > 0 && `, ${group.numSet} set`}
        </span>
      </summary>
      {isOpen && group.items.map((item) => <Item key={item.fields[0]?.path} item={item} />)}
    </details>
  );
}

function Item({ item: { part, fields } }: { item: GroupItem }) {
  const { file, edit, problemOf, absent } = useForm();
  const grid = (
    <div className="grid gap-x-4 gap-y-3 pt-1 pb-4 sm:grid-cols-2 xl:grid-cols-3">
      {fields.map((field) => (
        <HyperparameterField
          key={field.path}
          field={field}
          text={textOf(file, field.path)}
          problem={problemOf(`base.${field.path}`)}
          absent={field.path === "execution.provider" ? absent : undefined}
          onChange={(text) => edit(setSetting(file, field.path, text))}
        />
      ))}
    </div>
  );
  if (part === undefined) return grid;
  return (
    <OptionalFields
      part={part}
      isOn={isPartOn(file, part)}
      problem={problemOf(`base.${part}`)}
      onSwitch={(isOn) => edit(switchPart(file, part, isOn))}
      className="pt-1 pb-4"
    >
      <div className="mt-2 border-l border-line pl-4 [&>*]:pb-0">{grid}</div>
    </OptionalFields>
  );
}
