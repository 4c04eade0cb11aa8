"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Table } from "#packages/tables";
import { ResultButton } from "#app/_ui/Busy.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { type Beside, TableView } from "./TableView.tsx";

const ExportDialog = dynamic(() => import("./ExportDialog.tsx").then((module) => module.ExportDialog));

type Props = { table: Table; longCsv: string; beside?: Beside };

/** A table with an export button; `longCsv` is the CSV text of the underlying values, one row per run. */
export function ExportableTable({ table, longCsv, beside }: Props) {
  const [isExporting, setIsExporting] = useState(false);
  const { proof } = table.provenance;
  return (
    <div className="space-y-2">
      <div className="flex justify-end">
        <ResultButton onClick={() => setIsExporting(true)}>
          <Icon name="download" /> Export
        </ResultButton>
      </div>
      <TableView table={table} {...(beside && { beside })}>
        {proof && (
          <p>
            To verify: <code className="break-all">npx arlarena table verify {proof}</code>
          </p>
        )}
      </TableView>
      {isExporting && (
        <ExportDialog
          onClose={() => setIsExporting(false)}
          table={table}
          kind={table.label}
          metric=""
          longCsv={longCsv}
        />
      )}
    </div>
  );
}

/** A folded table, which adds little to the figures or the sentence above it. */
export function FoldedTable(props: Props) {
  return (
    <details>
      <summary className="w-fit cursor-pointer text-sm">Table and files</summary>
      <ExportableTable {...props} />
    </details>
  );
}
