import dynamic from "next/dynamic";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { FieldIndex } from "#server/domain/runs/table/findField.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Checkbox, Input } from "#app/_ui/Input.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { moveItem } from "./gridColumn.ts";

// Dynamic import: the metric catalogue is loaded when the dialog opens.
const AddMetric = dynamic(() => import("./AddMetric.tsx").then((module) => module.AddMetric));

type Props = {
  fields: readonly Field[];
  index: FieldIndex;
  columns: readonly string[];
  onColumns: (columns: string[]) => void;
};

const groups = ["Run", "Metric", "Hyperparameter", "Tracked parameter"] as const;

export function ColumnChooser({ fields, index, columns, onColumns }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon name="grid" /> Columns
      </Button>
      <Dialog
        open={isOpen}
        title="Columns"
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button onClick={() => onColumns([])}>Reset</Button>
            <Button kind="primary" onClick={() => setOpen(false)}>
              Done
            </Button>
          </>
        }
      >
        <Chosen index={index} columns={columns} onColumns={onColumns} />
        <AddMetric fields={fields} columns={columns} onAdd={(key) => onColumns([...columns, key])} />
        <Offered fields={fields} columns={columns} onColumns={onColumns} />
      </Dialog>
    </>
  );
}

function Chosen({ index, columns, onColumns }: Omit<Props, "fields">) {
  const titleOf = (key: string) => index.find(key)?.title ?? key;
  const move = (from: number, to: number) => onColumns(moveItem(columns, from, to));
  return (
    <ol aria-label="Columns shown, in order" className="mb-4 space-y-1">
      {columns.map((key, i) => (
        <li key={key} className="flex items-center gap-1 rounded border border-line px-2 py-0.5">
          <span className="min-w-0 flex-1 truncate">{titleOf(key)}</span>
          <Arrow label={`${titleOf(key)}: earlier`} text="↑" isOff={i === 0} onClick={() => move(i, i - 1)} />
          <Arrow
            label={`${titleOf(key)}: later`}
            text="↓"
            isOff={i === columns.length - 1}
            onClick={() => move(i, i + 1)}
          />
          <Arrow label={`${titleOf(key)}: hide`} text="×" onClick={() => onColumns(columns.toSpliced(i, 1))} />
        </li>
      ))}
    </ol>
  );
}

type ArrowProps = { label: string; text: string; isOff?: boolean; onClick: () => void };

function Arrow({ label, text, isOff = false, onClick }: ArrowProps) {
  return (
    <Button kind="quiet" className="px-2" aria-label={label} disabled={isOff} onClick={onClick}>
      {text}
    </Button>
  );
}

const maxOffered = 60;

function Offered({ fields, columns, onColumns }: Omit<Props, "index">) {
  const [text, setText] = useState("");
  const found = fields.filter(({ key, title }) => `${key} ${title}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <Input
        type="search"
        aria-label="Find a column"
        placeholder={`Find one of ${fields.length} columns, e.g. learning rate`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {groups.map((group) => {
        const offered = found.filter((field) => field.group === group);
        if (offered.length === 0) return null;
        return (
          <fieldset key={group} className="mt-3">
            <legend className="font-medium">{group}</legend>
            {offered.slice(0, maxOffered).map(({ key, title, meaning }) => (
              <div key={key} title={meaning}>
                <Checkbox
                  label={title}
                  checked={columns.includes(key)}
                  onChange={({ target }) =>
                    onColumns(target.checked ? [...columns, key] : columns.filter((one) => one !== key))
                  }
                />
              </div>
            ))}
            {offered.length > maxOffered && (
              <p className="text-sm text-muted">
                {formatCount(offered.length - maxOffered, "more column")} not shown: type part of a name to find a
                column.
              </p>
            )}
          </fieldset>
        );
      })}
    </>
  );
}
