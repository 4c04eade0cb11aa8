"use client";
import { Analysing, type AskedQuery } from "#app/_components/Analysing.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { FoldedTable } from "#app/_components/table/ExportableTable.tsx";
import type { Table } from "#packages/tables";

type Read = AskedQuery & {
  data: { sentence?: string; table: Table; longCsv: string } | undefined;
};
type Props = { id: "equivalence" | "hazards" | "forecast"; title: string; input: Record<string, unknown>; read: Read };

/** Section with a heading, its result in a sentence, and the folded table; renders nothing if the table has no rows. */
export function TableSection({ id, title, input, read }: Props) {
  const { data, error } = read;
  if (!data || error) return <Analysing name={id} input={input} query={read} className="h-64" />;
  if (data.table.rows.length === 0) return null;
  return (
    <section aria-labelledby={id} className="space-y-3">
      <h2 id={id} className="text-lg font-semibold">
        {title}
      </h2>
      <AnswerSentence text={data.sentence} />
      <FoldedTable table={data.table} longCsv={data.longCsv} />
    </section>
  );
}
