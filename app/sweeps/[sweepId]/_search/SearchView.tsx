import { useQuery } from "@tanstack/react-query";
import { SvgFigure } from "#app/_charts/SvgFigure.tsx";
import { fitDomain } from "#app/_charts/axes.ts";
import { classes } from "#app/_ui/classes.ts";
import type { SearchReport, ShownConfiguration } from "#server/api/plan/searches.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { formatCount, formatPercent } from "#app/_charts/format.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Cell, Head, RecordTable, Table } from "#app/_ui/Table.tsx";
import type { Front } from "#server/domain/plan/search/front.ts";
import type { Objective } from "#server/domain/plan/search/objective.ts";
import { iterationTicks } from "#server/domain/runs/series/ticks.ts";
import { SearchSize } from "./SearchSize.tsx";
import {
  describeBudget,
  describeSaved,
  describeTrials,
  isShare,
  nameTied,
  prepareBest,
  prepareRungs,
  prepareTrials,
  titleOf,
} from "./prepareSearch.ts";

export function SearchView({ sweepId, isOpen }: { sweepId: string; isOpen: boolean }) {
  const options = { refetchInterval: isOpen ? (10_000 as const) : (false as const) };
  const query = useQuery(useTrpc().sweep.search.queryOptions({ id: sweepId }, { ...options, ...stoppable }));
  const { data, error } = query;
  if (!data || error) return <Analysing name="search" input={{ id: sweepId }} query={query} className="h-48" />;
  return (
    <div className="space-y-8">
      <div className="space-y-3">
        <Best report={data} />
        <p className="max-w-prose text-sm">{[describeSaved(data), describeBudget(data)].filter(Boolean).join(" ")}</p>
      </div>
      <Importances report={data} />
      {data.configurations.map((configuration) => (
        <Configuration key={configuration.name} configuration={configuration} report={data} />
      ))}
      <SearchSize sweepId={sweepId} report={data} />
    </div>
  );
}

/** Best settings of each searched configuration. */
function Best({ report }: { report: SearchReport }) {
  const { configurations, parameters, objective, objectives } = report;
  const title = titleOf(objective);
  const by = objectives.length > 1 ? `${title}, first objective` : title;
  return (
    <RecordTable
      caption="Best trial of each configuration"
      columns={[
        "Configuration",
        "Best trial",
        { number: by },
        ...parameters.map((one) => ({ number: one.title })),
        "Trials",
      ]}
      rows={configurations.map((configuration, key) => {
        const best = configuration.trials.find(({ number }) => number === configuration.best);
        const [row] = best ? prepareTrials({ ...configuration, trials: [best] }, report) : [];
        const settings = row?.settings ?? parameters.map(() => "–");
        return {
          key,
          cells: [
            configuration.name,
            best ? nameTied(configuration.tied) : "none used its full budget yet",
            row?.values[0] ?? "–",
            ...settings,
            describeTrials(configuration),
          ],
        };
      })}
    />
  );
}

function Configuration({ configuration, report }: { configuration: ShownConfiguration; report: SearchReport }) {
  const { objective, objectives } = report;
  const rungs = prepareRungs(configuration);
  const { differences } = configuration;
  return (
    <section aria-label={`Hyperparameter search of ${configuration.name}`} className="space-y-3">
      <h2 className="text-base font-medium">{configuration.name}</h2>
      {differences.length > 0 && (
        <Notice tone="warn">
          <details>
            <summary>
              {`${formatCount(differences.length, "recorded decision")} of the search would differ if recomputed from the stored results`}
            </summary>
            <ul className="mt-1 list-disc space-y-1 pl-5 text-sm break-words">
              {differences.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </details>
        </Notice>
      )}
      <BestSoFar configuration={configuration} objective={objective} />
      {configuration.front && (
        <FrontPlot configuration={configuration} front={configuration.front} objectives={objectives} />
      )}
      <RungsFigure configuration={configuration} />
      <details className="space-y-3">
        <summary className="w-fit cursor-pointer text-sm">
          {rungs.length > 0 ? "All trials and rungs, with reasons" : "All trials, with reasons"}
        </summary>
        {rungs.length > 0 && (
          <Table caption={`Rungs of ${configuration.name}`}>
            <Head cells={["Rung", "Reached", "Promoted", "Stopped", "Continued as control", "Not decided"]} />
            <tbody className="text-sm tabular-nums">
              {rungs.map((rung) => (
                <tr key={rung.asked}>
                  <Cell>{rung.asked}</Cell>
                  <Cell>{rung.numReached}</Cell>
                  <Cell>{rung.numPromoted}</Cell>
                  <Cell>{rung.numStopped}</Cell>
                  <Cell>{rung.numControls}</Cell>
                  <Cell>{rung.numOpen}</Cell>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
        <Trials configuration={configuration} report={report} />
      </details>
    </section>
  );
}

function Trials({ configuration, report }: { configuration: ShownConfiguration; report: SearchReport }) {
  const { parameters, objectives } = report;
  const metrics = objectives.map(titleOf);
  return (
    <Table caption={`Trials of ${configuration.name}`} className="max-h-96 overflow-y-auto">
      <Head cells={["Trial", ...parameters.map(({ title }) => title), ...metrics, "State", "Why"]} />
      <tbody className="text-sm tabular-nums">
        {prepareTrials(configuration, report).map((row) => (
          <tr key={row.number} className={row.isBest ? "font-medium" : undefined}>
            <Cell>
              {row.isBest ? `${row.number} (${configuration.tied.length > 1 ? "tied best" : "best"})` : row.number}
            </Cell>
            {row.settings.map((setting, i) => (
              <Cell key={parameters[i]?.path}>{setting}</Cell>
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
      <h2 className="text-base font-medium">{`Importance of settings for ${titleOf(objective).toLowerCase()}, all trials`}</h2>
      {study.caveats.map((caveat) => (
        <Notice key={caveat} tone={study.importance ? "warn" : "info"}>
          {caveat}
        </Notice>
      ))}
      {study.importance && (
        <Table caption="Share of the variance that each setting explains alone">
          <Head cells={["Setting", "Share of variance (fANOVA)", "Range over 95 % of the trees"]} />
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

const parts = [
  { of: "numPromoted", label: "promoted", look: "bg-accent" },
  { of: "numControls", label: "continued as control", look: "bg-warn" },
  { of: "numOpen", label: "waiting or complete", look: "bg-surface border border-edge" },
  { of: "numStopped", label: "stopped", look: "bg-edge/50" },
] as const;

/** Bar chart of the number of trials that reached each rung (budget at which trials are compared), by verdict. */
export function RungsFigure({ configuration }: { configuration: ShownConfiguration }) {
  const rungs = prepareRungs(configuration);
  const most = Math.max(...rungs.map(({ numReached }) => numReached));
  if (rungs.length < 2 || most < 1) return null;
  return (
    <figure className="max-w-3xl space-y-2 text-xs">
      {/* The drawing has no accessible text, because the table below has the same numbers. */}
      <div
        aria-hidden="true"
        className="grid grid-cols-[max-content_minmax(0,1fr)_max-content] items-center gap-x-2 gap-y-1.5"
      >
        {rungs.map((rung) => (
          <div key={rung.asked} className="contents">
            <span className="text-right text-muted">{rung.asked}</span>
            <span className="flex h-4 gap-px">
              {parts.map(
                ({ of, look }) =>
                  rung[of] > 0 && (
                    <span
                      key={of}
                      className={classes("h-full rounded-xs", look)}
                      style={{ width: `${(100 * rung[of]) / most}%` }}
                    />
                  ),
              )}
            </span>
            <span className="tabular-nums">{rung.numReached}</span>
          </div>
        ))}
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
        {parts.map(({ of, label, look }) => (
          <span key={of} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={classes("size-2.5 rounded-xs", look)} /> {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function axisOf(objective: Objective): { label: string; format?: (value: number) => string } {
  const isRate = isShare(objective);
  return { label: titleOf(objective), ...(isRate && { format: formatPercent }) };
}

type Props = { configuration: ShownConfiguration; objective: SearchReport["objective"] };

export function BestSoFar({ configuration, objective }: Props) {
  const points = prepareBest(configuration, objective.goal);
  if (points.length < 2) return null;
  const last = Math.max(...points.map(({ number }) => number));
  const led = points.filter(({ best }) => !Number.isNaN(best));
  return (
    <SvgFigure
      title={`Trials of ${configuration.name} and the best trial so far`}
      caption="Filled dots: trials that used the full budget. Line: best of these trials so far."
      x={{ label: "Trial", domain: [0, last], ticks: iterationTicks(0, last) }}
      y={{ ...axisOf(objective), domain: fitDomain(points.map(({ value }) => value)) }}
      data={[
        ["trial", "value", "best", "full_budget"],
        ...points.map(({ number, value, best, isWhole }) => [
          number,
          value,
          Number.isNaN(best) ? "" : best,
          String(isWhole),
        ]),
      ]}
      height={220}
    >
      {({ x, y, Curve }) => (
        <>
          <Curve
            type="stepAfter"
            points={led.map(({ number, best }) => ({ x: x(number), y: y(best) }))}
            fill="none"
            stroke="var(--text)"
            strokeWidth={2}
          />
          {points.map(({ number, value, isWhole }) => (
            <circle
              key={number}
              cx={x(number)}
              cy={y(value)}
              r={3}
              fill={isWhole ? "var(--text)" : "var(--surface)"}
              stroke="var(--text)"
            />
          ))}
        </>
      )}
    </SvgFigure>
  );
}

type FrontPlotProps = { configuration: ShownConfiguration; front: Front; objectives: readonly Objective[] };

export function FrontPlot({ configuration, front, objectives }: FrontPlotProps) {
  const points = prepareFront(configuration, front);
  const [first, second] = objectives;
  if (points.length < 2 || !first || !second) return null;
  const share = front.shares.at(-1)?.share;
  const covered =
    share === undefined
      ? "."
      : `. These trials dominate ${formatPercent(share)} of the space between the best and the worst values (hypervolume).`;
  return (
    <SvgFigure
      title={`${titleOf(first)} and ${titleOf(second).toLowerCase()} of the trials of ${configuration.name}`}
      caption={`Filled dots: Pareto front, trials ${front.numbers.join(", ")}${covered}`}
      x={{ ...axisOf(first), domain: fitDomain(points.map(({ x }) => x)) }}
      y={{ ...axisOf(second), domain: fitDomain(points.map(({ y }) => y)) }}
      data={[
        ["trial", titleOf(first), titleOf(second), "on_front"],
        ...points.map(({ number, x, y, isBest }) => [number, x, y, String(isBest)]),
      ]}
    >
      {(scales) =>
        points.map(({ number, x, y, isBest }) => (
          <circle
            key={number}
            cx={scales.x(x)}
            cy={scales.y(y)}
            r={isBest ? 5 : 3}
            fill={isBest ? "var(--text)" : "var(--surface)"}
            stroke="var(--text)"
          >
            <title>{`trial ${number}`}</title>
          </circle>
        ))
      }
    </SvgFigure>
  );
}

export function prepareFront({ trials }: Pick<ShownConfiguration, "trials">, { numbers }: Pick<Front, "numbers">) {
  return trials.flatMap(({ number, values }) => {
    const [x = null, y = null] = values;
    return x === null || y === null ? [] : [{ number, x, y, isBest: numbers.includes(number) }];
  });
}
