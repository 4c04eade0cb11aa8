"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Table } from "#packages/tables";
import { Button } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { TableView } from "./TableView.tsx";

const ExportDialog = dynamic(() => import("./ExportDialog.tsx").then((module) => module.ExportDialog));

/** A table with an export button; `longCsv` is the CSV text of the underlying values, one row per run. */
export function ExportableTable({ table, longCsv }: { table: Table; longCsv: string }) {
  const [isExporting, setIsExporting] = useState(false);
  return (
    <div className="space-y-2">
      <div className="flex justify-end">
        <Button onClick={() => setIsExporting(true)}>
          <Icon name="download" /> Export
        </Button>
      </div>
      <TableView table={table} />
      {table.provenance.proof && (
        <p className="text-xs text-muted">
          To verify this table: <code className="break-all">npx arlarena table verify {table.provenance.proof}</code>
        </p>
      )}
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
