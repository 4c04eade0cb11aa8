"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Half } from "#packages/detector";
import { ExportableTable } from "#app/_components/table/ExportableTable.tsx";
import { TableView } from "#app/_components/table/TableView.tsx";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { choicePart, textPart } from "#app/_ui/address.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import type { AlarmGroup } from "#server/domain/analysis/warning/answers.ts";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { AlarmWindow } from "./AlarmWindow.tsx";
import { listSilent, nameRules, prepareAlarms } from "./prepareAlarms.ts";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";

const scopes = [
  { value: "chosen", label: "All runs of these sweeps" },
  { value: "all", label: "All runs of this studio" },
] as const;
const scopePart = choicePart("of", ["chosen", "all"], "chosen");
/** URL parameter for the version of the detector's frozen rules; empty: the rules in use. */
const rulesPart = textPart("rules");
const halves: readonly Option<Half>[] = [
  { value: "all", label: "All" },
  { value: "even", label: "Even (development)" },
  { value: "odd", label: "Odd (test)" },
];
const halfPart = choicePart<Half>("half", ["all", "even", "odd"], "all");

/** Evaluates the rules in use, or an earlier version, beside other detectors against labels in hindsight. */
export function DetectorsView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [scope, setScope] = useAddress(scopePart);
  const [rules, setRules] = useAddress(rulesPart);
  const [half, setHalf] = useAddress(halfPart);
  const dependent = useDependent();
  const input = { sweepIds: scope === "all" ? null : sweepIds, half, ...(rules !== "" && { rules }), ...dependent };
  const query = useQuery(trpc.analysis.blind.queryOptions(input, keptStoppable));
  const { data, error, isPlaceholderData } = query;
  return (
    <div className="space-y-4">
      <AnswerSentence text={data?.sentence} />
      <div className="flex flex-wrap items-end gap-4">
        <ChoiceField label="Runs" options={scopes} value={scope} onChange={setScope} />
        <ChoiceField
          label="Rules"
          options={(data?.versions ?? []).map((version, i) => ({
            value: version,
            label: `${nameRules(version)}${i === 0 ? " (in use)" : ""}`,
          }))}
          // Without a choice in the URL, the menu shows the rules with which the loaded table was computed.
          value={rules === "" ? (data?.rules ?? "") : rules}
          onChange={setRules}
        />
        <ChoiceField label="Seeds" options={halves} value={half} onChange={setHalf} />
      </div>
      {(!data || error) && <Analysing name="blind" input={input} query={query} className="h-96" />}
      {data && (
        <Busy isBusy={isPlaceholderData}>
          {data.table.rows.length === 0 ? (
            <EmptyState title="No judged run">
              A detector is evaluated on finished runs that have a label in hindsight. No run with these seeds has a
              label yet.
            </EmptyState>
          ) : (
            <div className="space-y-4">
              <LeftOutNote leftOut={data.leftOut} />
              <AlarmWindow {...data.window} />
              <RuleTable data={data} />
              <AlarmTables groups={data.groups} />
            </div>
          )}
        </Busy>
      )}
    </div>
  );
}

/** Table of the rules with an alarm; those without one take a line until all are shown. */
function RuleTable({ data: { table, longCsv, groups } }: { data: AnswerTo<"blind"> }) {
  const [isAll, setIsAll] = useState(false);
  const silent = listSilent(groups);
  if (isAll || silent.length === 0) return <ExportableTable table={prepareAlarms(table)} longCsv={longCsv} />;
  return (
    <>
      <TableView table={prepareAlarms(table, silent)} />
      <p className="max-w-4xl text-sm text-muted">
        No true and no false alarm by {formatCount(silent.length, "other rule")}: {silent.join("; ")}.{" "}
        <button type="button" className="text-accent hover:underline" onClick={() => setIsAll(true)}>
          Show all rules, to export
        </button>
      </p>
    </>
  );
}

function AlarmTables({ groups }: { groups: readonly AlarmGroup[] }) {
  return (
    <details>
      <summary className="cursor-pointer text-sm">
        Precision, and collapses detected ten or more iterations before they happened
      </summary>
      <div className="mt-3 space-y-4">
        {groups.map(({ heading, rules }) => (
          <section key={heading} aria-label={nameRules(heading)} className="space-y-2">
            <p className="text-sm text-muted">{nameRules(heading)}</p>
            <Table caption={`Precision and early alarms. ${nameRules(heading)}`}>
              <Head
                cells={[
                  "Rule",
                  { number: "True alarms" },
                  { number: "Precision" },
                  { number: "Detected collapses with lead time ≥ 10 iterations" },
                ]}
              />
              <tbody>
                {rules.map(({ rule, numTrue, numFalse, earlyRate }) => (
                  <tr key={rule}>
                    <Cell className="min-w-48 text-sm">{rule}</Cell>
                    <Cell className="text-right text-sm whitespace-nowrap tabular-nums">
                      {numTrue} of {numTrue + numFalse}
                    </Cell>
                    <Cell className="text-right text-sm tabular-nums">
                      {formatShare(numTrue / (numTrue + numFalse))}
                    </Cell>
                    <Cell className="text-right text-sm tabular-nums">{formatShare(earlyRate)}</Cell>
                  </tr>
                ))}
              </tbody>
            </Table>
          </section>
        ))}
      </div>
    </details>
  );
}

function formatShare(share: number): string {
  return Number.isFinite(share) ? formatPercent(share) : "–";
}
