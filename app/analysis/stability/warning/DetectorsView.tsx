"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Half } from "#packages/detector";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { choicePart, textPart } from "#app/_ui/address.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Choice, type Option } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { AlarmTables, FewCollapses } from "./AlarmTables.tsx";

const scopes = [
  { value: "chosen", label: "These sweeps" },
  { value: "all", label: "Every run of this studio" },
] as const;
const scopePart = choicePart("of", ["chosen", "all"], "chosen");
/** Empty: the rules in use. */
const rulesPart = textPart("rules");
const halves: readonly Option<Half>[] = [
  { value: "all", label: "All" },
  { value: "even", label: "Even (development)" },
  { value: "odd", label: "Odd (test)" },
];
const halfPart = choicePart<Half>("half", ["all", "even", "odd"], "all");

/**
 * Evaluates the detector rules against labels in hindsight, beside other detectors. Rules are those in use or earlier frozen ones, on all seeds or
 * half of them.
 */
export function DetectorsView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [scope, setScope] = useAddress(scopePart);
  const [rules, setRules] = useAddress(rulesPart);
  const [half, setHalf] = useAddress(halfPart);
  const input = { sweepIds: scope === "all" ? null : sweepIds, half, ...(rules !== "" && { rules }) };
  const query = useQuery(trpc.stability.blind.queryOptions(input, { placeholderData: keepPreviousData, ...stoppable }));
  const { data, error, isPlaceholderData } = query;
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-4">
        <Choice label="Runs" labelled="above" options={scopes} value={scope} onChange={setScope} />
        <Choice
          label="Rules"
          labelled="above"
          options={(data?.versions ?? []).map((version, i) => ({
            value: version,
            label: i === 0 ? `${version} (in use)` : version,
          }))}
          // While new rules load, the previous table is shown with its own name.
          value={rules === "" ? (data?.rules ?? "") : rules}
          onChange={setRules}
        />
        <Choice label="Seeds" labelled="above" options={halves} value={half} onChange={setHalf} />
      </div>
      {(!data || error) && <Analysing name="blind" input={input} query={query} className="h-96" />}
      {data && (
        <Busy isBusy={isPlaceholderData}>
          {data.table.rows.length === 0 ? (
            <EmptyState title="No finished run">
              A detector is judged by what happened, which is known when a run ends. No run of these seeds has ended.
            </EmptyState>
          ) : (
            <div className="space-y-4">
              {data.groups.map((group) => (
                <FewCollapses key={group.heading} group={group} />
              ))}
              <ExportableTable table={data.table} longCsv={data.longCsv} />
              <AlarmTables groups={data.groups} />
            </div>
          )}
        </Busy>
      )}
    </div>
  );
}
