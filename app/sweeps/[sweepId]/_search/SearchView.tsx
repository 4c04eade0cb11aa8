"use client";
import { useQuery } from "@tanstack/react-query";
import type { SearchReport, ShownArm } from "#server/api/plan/searches.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { formatPercent } from "#app/_charts/format.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { BestSoFar } from "./BestSoFar.tsx";
import { FrontPlot } from "./FrontPlot.tsx";
import { RungsFigure } from "./RungsFigure.tsx";
import { SearchSize } from "./SearchSize.tsx";
import { titleOf } from "./titleOf.ts";
import {
  describeBudget,
  describeSaved,
  describeTrials,
  nameTied,
  prepareRungs,
  prepareTrials,
} from "./prepareSearch.ts";

/** Results of a sweep's search: trials, best configurations, stopped trials and savings. */
export function SearchView({ sweepId, isOpen }: { sweepId: string; isOpen: boolean }) {
  const options = { refetchInterval: isOpen ? (10_000 as const) : (false as const) };
  const query = useQuery(useTrpc().sweep.search.queryOptions({ id: sweepId }, { ...options, ...stoppable }));
  const { data, error } = query;
  if (!data || error) return <Analysing name="search" input={{ id: sweepId }} query={query} className="h-48" />;
  return (
    <div className="space-y-6">
      <p className="text-sm">{[describeSaved(data), describeBudget(data)].filter(Boolean).join(" ")}</p>
      <SearchSize sweepId={sweepId} report={data} />
      {data.arms.map((arm) => (
        <Arm key={arm.name} arm={arm} report={data} />
      ))}
      <Importances report={data} />
    </div>
  );
}

function Arm({ arm, report }: { arm: ShownArm; report: SearchReport }) {
  const { objective, objectives } = report;
  const rungs = prepareRungs(arm);
  const best = arm.trials.find(({ number }) => number === arm.best);
  return (
    <section aria-label={`Search of ${arm.name}`} className="space-y-3">
      <h2 className="text-base font-medium">{arm.name}</h2>
      <p className="text-sm text-muted">
        {`${describeTrials(arm)} `}
        {best?.value == null
          ? "No trial has used its full budget yet."
          : `Best${objectives.length > 1 ? " by the first objective" : ""}: ${nameTied(arm.tied)}, ${titleOf(objective).toLowerCase()} ${Number(best.value.toPrecision(3))}.`}
      </p>
      {arm.differences.map((text) => (
        <Notice key={text} tone="warn">{`This decision would be different today: ${text}`}</Notice>
      ))}
      <BestSoFar arm={arm} objective={objective} />
      {arm.front && <FrontPlot arm={arm} front={arm.front} objectives={objectives} />}
      <RungsFigure arm={arm} />
      {rungs.length > 0 && (
        <Table caption={`Rungs of ${arm.name}`}>
          <thead>
            <tr>
              {["Rung", "Reached", "Went on", "Stopped", "Kept as control", "Not decided"].map((head) => (
                <HeadCell key={head}>{head}</HeadCell>
              ))}
            </tr>
          </thead>
          <tbody className="text-sm tabular-nums">
            {rungs.map((rung) => (
              <tr key={rung.asked}>
                <Cell>{rung.asked}</Cell>
                <Cell>{rung.numReached}</Cell>
                <Cell>{rung.numPromoted}</Cell>
                <Cell>{rung.numStopped}</Cell>
                <Cell>{rung.numLetGoOn}</Cell>
                <Cell>{rung.numOpen}</Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <Trials arm={arm} metrics={objectives.map(titleOf)} />
    </section>
  );
}

function Trials({ arm, metrics }: { arm: ShownArm; metrics: readonly string[] }) {
  const paths = [...new Set(arm.trials.flatMap(({ point }) => Object.keys(point)))].toSorted();
  return (
    <Table caption={`Trials of ${arm.name}`} className="max-h-96 overflow-y-auto">
      <thead>
        <tr>
          {["Trial", ...paths, ...metrics, "State", "Why"].map((head) => (
            <HeadCell key={head}>{head}</HeadCell>
          ))}
        </tr>
      </thead>
      <tbody className="text-sm tabular-nums">
        {prepareTrials(arm, paths).map((row) => (
          <tr key={row.number} className={row.isBest ? "font-medium" : undefined}>
            <Cell>{row.isBest ? `${row.number} (${arm.tied.length > 1 ? "tied best" : "best"})` : row.number}</Cell>
            {row.settings.map((setting, i) => (
              <Cell key={paths[i]}>{setting}</Cell>
            ))}
            {row.values.map((value, i) => (
              <Cell key={metrics[i]}>{value}</Cell>
            ))}
            <Cell className="whitespace-nowrap">{row.state}</Cell>
            <Cell className="min-w-80 text-xs text-muted">{row.reasons.join("; ")}</Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Importances({ report: { importance: study, objective } }: { report: SearchReport }) {
  return (
    <section aria-label="Importance for the objective" className="space-y-3">
      <h2 className="text-base font-medium">{`Importance for ${titleOf(objective).toLowerCase()}, all trials`}</h2>
      {study.caveats.map((caveat) => (
        <Notice key={caveat} tone={study.importance ? "warn" : "info"}>
          {caveat}
        </Notice>
      ))}
      {study.importance && (
        <Table caption="Share of the variance that each setting explains alone">
          <thead>
            <tr>
              <HeadCell>Setting</HeadCell>
              <HeadCell>Share of variance (fANOVA)</HeadCell>
              <HeadCell>95 % of trees</HeadCell>
            </tr>
          </thead>
          <tbody className="text-sm tabular-nums">
            {study.parameters.map(({ key, title }, i) => {
              const share = study.importance?.mains[i];
              return (
                <tr key={key}>
                  <Cell>{title}</Cell>
                  <Cell>{share ? formatPercent(share.mean) : "–"}</Cell>
                  <Cell>{share ? `${formatPercent(share.low)} to ${formatPercent(share.high)}` : "–"}</Cell>
                </tr>
              );
            })}
          </tbody>
        </Table>
      )}
    </section>
  );
}
