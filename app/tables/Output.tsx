"use client";
import { useState } from "react";
import type { Table } from "#server/domain/tables/table.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { download } from "#app/_charts/download.ts";
import { formatChoices, nameFile, printAs, type Format } from "#app/_components/table/formats.ts";

/** The table's text in the format of one's choice, to copy or to keep as a file. */
export function Output({ table, longCsv }: { table: Table; longCsv: string }) {
  const [format, setFormat] = useState<Format>("latex");
  const { text, extension, type } = printAs(format, table, longCsv);
  const fileName = nameFile([table.provenance.sweepName, table.label, format === "runs" ? "runs" : ""], extension);
  return (
    <Card
      title="Text"
      actions={
        <>
          <CopyButton text={text} />
          <Button kind="primary" onClick={() => download(fileName, text, type)}>
            <Icon name="download" /> Download
          </Button>
        </>
      }
    >
      <Choice
        as="buttons"
        label="Format"
        options={formatChoices}
        value={format}
        onChange={setFormat}
        className="flex-wrap"
      />
      <p className="mt-2 mb-1 font-mono text-xs break-all text-muted">{fileName}</p>
      <pre
        tabIndex={0}
        aria-label="Text of the table"
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs leading-5"
      >
        {text}
      </pre>
    </Card>
  );
}
