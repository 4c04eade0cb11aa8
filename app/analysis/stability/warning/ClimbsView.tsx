"use client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import type { ClimbExample } from "#server/domain/analysis/warning/answers.ts";
import type { SignalSet } from "#server/domain/analysis/warning/signals.ts";
import { ExportableTable, FoldedTable } from "#app/_components/table/ExportableTable.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { optionPart } from "#app/_ui/address.ts";
import { ChoiceField, type Option } from "#app/_ui/Choice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { runPage } from "#server/domain/pages.ts";
import { TableSection } from "../TableSection.tsx";

const sets = [
  { value: "update", label: "The update" },
  { value: "behaviour", label: "Actions, and the update" },
  { value: "tokens", label: "Control tokens, and the update" },
] as const satisfies Option<SignalSet>[];
const signalsPart = optionPart<SignalSet>("signals", sets, "update");

/** Table of metrics that leave their usual range before success falls, and links to the best examples. */
export function ClimbsView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [signals, setSignals] = useAddress(signalsPart);
  const input = { sweepIds, signals, ...useDependent() };
  const query = useQuery(trpc.analysis.climbs.queryOptions(input, stoppable));
  const { data, error } = query;
  if (!data || error) return <Analysing name="climbs" input={input} query={query} className="h-96" />;
  if (data.table.rows.length === 0) {
    return (
      <EmptyState title="No collapsed run">
        Once a run has collapsed, this table shows which signal left its usual range first: divergence, gradient norm or
        normalised effective sample size (ESS).
      </EmptyState>
    );
  }
  const hasRange = data.table.rows.some(({ cells: [, count] }) => count?.kind === "number" && count.value > 0);
  const TableOrFold = hasRange ? ExportableTable : FoldedTable;
  return (
    <div className="space-y-5">
      <AnswerSentence text={data.sentence} />
      <ChoiceField className="w-fit" label="Signals" options={sets} value={signals} onChange={setSignals} />
      {data.examples.length > 0 && <Examples examples={data.examples} />}
      <TableOrFold table={data.table} longCsv={data.longCsv} />
      <ForecastSection sweepIds={sweepIds} />
    </div>
  );
}

function Examples({ examples }: { examples: readonly ClimbExample[] }) {
  return (
    <section aria-label="Runs with the clearest early signals">
      <p className="text-sm text-muted">
        Collapsed runs in which the most signals left their usual range before the collapse:
      </p>
      <ul className="mt-1 space-y-1 text-sm">
        {examples.map(({ runId, setting, seed }) => (
          <li key={runId}>
            <Link className="text-accent hover:underline" href={`${runPage(runId)}?tab=stability`}>
              {setting}, seed {seed}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Table of how well the effective sample size predicts collapse; absent without a stale or less precise sampler. */
function ForecastSection({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const input = { sweepIds, ...useDependent() };
  const read = useQuery(trpc.analysis.forecast.queryOptions(input, stoppable));
  return <TableSection id="forecast" title="Predictors of a collapse" input={input} read={read} />;
}
