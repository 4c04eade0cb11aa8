"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Half } from "#server/domain/stability/evaluation/blind.ts";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { choicePart, textPart } from "#app/_ui/address.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Choice, type Option } from "#app/_ui/Choice.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";

/** Empty: those in use. */
const rulesPart = textPart("rules");
const halfTitles: readonly Option<Half>[] = [
  { value: "all", label: "All" },
  { value: "even", label: "Even: to improve on" },
  { value: "odd", label: "Odd: to test on" },
];
const halfPart = choicePart<Half>("half", ["all", "even", "odd"], "all");

/** Rules as they were frozen on runs that were made later, beside those of others. */
export function BlindSection({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [rules, setRules] = useAddress(rulesPart);
  const [half, setHalf] = useAddress(halfPart);
  const { data, error, isPlaceholderData } = useQuery(
    trpc.stability.blind.queryOptions(
      { sweepIds, half, ...(rules !== "" && { rules }) },
      { placeholderData: keepPreviousData },
    ),
  );
  return (
    <section aria-labelledby="blind-test" className="space-y-3">
      <h2 id="blind-test" className="text-lg font-semibold">
        Blind test
      </h2>
      <div className="flex flex-wrap items-end gap-4">
        <Choice
          label="Frozen rules"
          labelled="above"
          options={(data?.versions ?? []).map((version) => ({ value: version, label: version }))}
          value={data?.rules ?? rules}
          onChange={setRules}
        />
        <Choice as="buttons" label="Seeds" options={halfTitles} value={half} onChange={setHalf} />
      </div>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      {!data && !error && <Skeleton className="h-96" />}
      {data && (
        <Busy isBusy={isPlaceholderData}>
          {data.table.rows.length === 0 ? (
            <p className="text-muted">No finished run of these seeds is judged yet.</p>
          ) : (
            <ExportableTable table={data.table} longCsv={data.longCsv} />
          )}
        </Busy>
      )}
    </section>
  );
}
