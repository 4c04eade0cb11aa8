"use client";
import { useState } from "react";
import type { Table } from "#server/domain/tables/table.ts";
import { Card } from "#app/_ui/Card.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { formatChoices, nameFile, printAs, type Format } from "#app/_components/table/formats.ts";
import { TextActions, TextBlock } from "#app/_components/table/TextBlock.tsx";

/** The table's text in the chosen format, to copy or to download. */
export function Output({ table, longCsv }: { table: Table; longCsv: string }) {
  const [format, setFormat] = useState<Format>("latex");
  const { text, extension, type } = printAs(format, table, longCsv);
  const fileName = nameFile([table.provenance.sweepName, table.label, format === "runs" ? "runs" : ""], extension);
  return (
    <Card title="Text" actions={<TextActions {...{ fileName, text, type }} />}>
      <Choice
        as="buttons"
        label="Format"
        options={formatChoices}
        value={format}
        onChange={setFormat}
        className="mb-2 flex-wrap"
      />
      <TextBlock fileName={fileName} text={text} label="Text of the table" className="max-h-96" />
    </Card>
  );
}
