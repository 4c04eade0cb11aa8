"use client";
import { useState } from "react";
import type { Table } from "#packages/tables";
import { Checkbox } from "#app/_ui/Input.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { formatChoices, nameFile, printAs, withoutColumns, type Format } from "./formats.ts";
import { TextActions, TextBlock } from "./TextBlock.tsx";

type Props = {
  onClose: () => void;
  table: Table;
  kind: string;
  metric: string;
  /** CSV text with the values of each run; empty if not available. */
  longCsv?: string;
};

export function ExportDialog({ onClose, table, kind, metric, longCsv = "" }: Props) {
  const [format, setFormat] = useState<Format>("latex");
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const choices = longCsv === "" ? formatChoices.filter(({ value }) => value !== "runs") : formatChoices;
  const { sweepName } = table.provenance;
  const { text, extension, type } = printAs(format, withoutColumns(table, left), longCsv);
  const fileName = nameFile([sweepName, metric, format === "runs" ? "runs" : kind], extension);
  const toggle = (key: string) => {
    const next = new Set(left);
    if (!next.delete(key)) next.add(key);
    setLeft(next);
  };
  return (
    <Dialog open title="Export table" onClose={onClose} footer={<TextActions {...{ fileName, text, type }} />}>
      <div className="space-y-3">
        <Choice as="buttons" label="Format" options={choices} value={format} onChange={setFormat} />
        {format !== "runs" && (
          <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
            <legend className="mb-1 text-sm font-medium">Columns</legend>
            {table.columns.slice(1).map(({ key, header }) => (
              <Checkbox key={key} label={header} checked={!left.has(key)} onChange={() => toggle(key)} />
            ))}
          </fieldset>
        )}
        <div>
          <TextBlock fileName={fileName} text={text} label="Preview" className="max-h-80" />
        </div>
      </div>
    </Dialog>
  );
}
