"use client";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { Measured } from "#app/_charts/Measured.tsx";
import { nameRuns } from "#app/_charts/names.ts";
import { PaperPlot, Plot } from "#app/_charts/Plot.tsx";
import { prepareChart } from "#app/_charts/prepareChart.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { parseSettings } from "#app/_charts/settings.ts";
import { useMetric } from "#app/_charts/useMetric.ts";
import { ArmTable } from "#app/_components/rescue/ArmTable.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { FindingCard } from "#app/analysis/claims/ClaimsView.tsx";
import { Effects, InteractionTable, SharesCard } from "#app/analysis/effects/dimensions/DimensionsView.tsx";
import { ParetoSection } from "#app/analysis/effects/dimensions/ParetoSection.tsx";
import { shortUnit } from "#app/analysis/effects/dimensions/prepareDimensions.ts";
import { Bars } from "#app/analysis/effects/hyperparameters/_importance/ImportanceCard.tsx";
import { HeatmapTable, ScatterFigure } from "#app/analysis/effects/hyperparameters/_pairs/PairFigures.tsx";
import { layOut } from "#app/analysis/effects/hyperparameters/_parallel/geometry.ts";
import { ParallelDrawing } from "#app/analysis/effects/hyperparameters/_parallel/ParallelDrawing.tsx";
import { prepareAxis } from "#app/analysis/effects/hyperparameters/_parallel/prepareAxis.ts";
import { SliceFigure } from "#app/analysis/effects/hyperparameters/_slices/SliceFigures.tsx";
import { prepareLooks, type Looks } from "#app/analysis/effects/hyperparameters/_study/looks.ts";
import { PhaseFigure } from "#app/analysis/effects/phases/PhaseFigure.tsx";
import { prepareOverview, RunTable } from "#app/analysis/stability/OverviewView.tsx";
import { SurvivalFigure } from "#app/analysis/stability/survival/SurvivalFigure.tsx";
import { FlowFigure } from "#app/analysis/behaviour/FlowFigure.tsx";
import { HeatMaps } from "#app/analysis/transfer/TransferView.tsx";
import { Panels } from "#app/runs/[runId]/_replay/ReplayView.tsx";
import { BestSoFar, FrontPlot, RungsFigure } from "#app/sweeps/[sweepId]/_search/SearchView.tsx";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import type { SearchReport, ShownConfiguration } from "#server/api/plan/searches.ts";
import { inWords, prepareStudy, type Study } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { describeMetric } from "#trainer/spec/metric.ts";

type Props = { sweepIds: string[] };

/** Figures of all pages. Each is drawn from the answers about the chosen sweeps, by the component of its page. */
export const figures: Readonly<Record<string, { title: string; Figure: ComponentType<Props> }>> = {
  curves: { title: "Curves of a metric", Figure: (props) => <Curves {...props} /> },
  exportedCurves: { title: "Curves of a metric, in a file", Figure: (props) => <Curves {...props} isExported /> },
  survival: { title: "Survival", Figure: Survival },
  states: { title: "States of the detector", Figure: States },
  replay: { title: "Replay of alarms", Figure: Replay },
  effects: {
    title: "Effects of the dimensions",
    Figure: ofDimensions(
      (look) => look.data.effects.length > 0 && <Effects {...look} unit={look.title} short={look.short} />,
    ),
  },
  shares: {
    title: "Sources of variance",
    Figure: ofDimensions(({ data }) => data.shares && <SharesCard shares={data.shares} />),
  },
  interactions: {
    title: "Interactions of two dimensions",
    Figure: ofDimensions(({ data: { interactions }, isRate }) =>
      interactions.map((grid) => <InteractionTable key={grid.factors.join()} grid={grid} isRate={isRate} />),
    ),
  },
  pareto: {
    title: "Performance against stability",
    Figure: ofDimensions(
      ({ data: { pareto, unit }, title, isRate }) =>
        pareto.length > 0 && <ParetoSection methods={pareto} {...{ title, unit, isRate }} />,
    ),
  },
  phases: { title: "Phase diagram", Figure: Phases },
  transfer: { title: "Transfer", Figure: Transfer },
  behaviour: { title: "Flow of actions", Figure: Behaviour },
  rescue: { title: "Rescue", Figure: Rescue },
  claims: { title: "Claims of the papers", Figure: Claims },
  importance: { title: "Importance of hyperparameters", Figure: Importance },
  parallel: {
    title: "Parallel coordinates",
    Figure: ofStudy((shown) => <Parallel {...shown} />),
  },
  slices: {
    title: "One parameter at a time",
    Figure: ofStudy(({ study: { parameters, outcome }, ...shown }) =>
      parameters.map((column) => <SliceFigure key={column.key} {...{ column, outcome }} {...shown} />),
    ),
  },
  pairs: {
    title: "Two parameters, means",
    Figure: ofStudy(({ study: { parameters, outcome } }) => {
      const [down, across] = parameters;
      return down && across && <HeatmapTable {...{ down, across, outcome }} />;
    }),
  },
  scatter: {
    title: "Two columns, runs",
    Figure: ofStudy(({ study: { parameters, outcome }, ...shown }) => {
      const [across] = parameters;
      return across && <ScatterFigure {...{ across }} up={inWords(outcome)} {...shown} />;
    }),
  },
  trials: {
    title: "Trials of a search",
    Figure: ofSearch((configuration, { objective }) => <BestSoFar {...{ configuration, objective }} />),
  },
  front: {
    title: "Pareto front of a search",
    Figure: ofSearch(
      (configuration, { objectives }) =>
        configuration.front && <FrontPlot front={configuration.front} {...{ configuration, objectives }} />,
    ),
  },
  rungs: { title: "Rungs of a search", Figure: ofSearch((configuration) => <RungsFigure {...{ configuration }} />) },
};

type Read<Data> = { query: { data: Data | undefined; error: unknown }; children: (data: Data) => ReactNode };

/** Draws an answer once it is there, or says why there is no figure. */
function Answered<Data>({ query: { data, error }, children }: Read<Data>) {
  if (error !== null && error !== undefined) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (data === undefined) return <Skeleton className="h-72" />;
  const drawn = children(data);
  const isEmpty = [drawn].flat().every((part) => !part);
  return isEmpty ? <EmptyState title="Nothing to draw">These sweeps have no data for this figure.</EmptyState> : drawn;
}

function Survival({ sweepIds }: Props) {
  const query = useQuery(useTrpc().analysis.survival.queryOptions({ sweepIds }));
  return <Answered query={query}>{(data) => data.groups.length > 0 && <SurvivalFigure report={data} />}</Answered>;
}

function States({ sweepIds }: Props) {
  const query = useQuery(useTrpc().stability.runs.queryOptions({ sweepIds }));
  return (
    <Answered query={query}>
      {({ runs, cells }) => (
        <RunTable
          overview={prepareOverview(runs, "worst")}
          legend={new Map(prepareLegend(cells).map((entry) => [entry.cellId, entry]))}
        />
      )}
    </Answered>
  );
}

function Replay({ sweepIds }: Props) {
  const grid = useQuery(useTrpc().run.grid.queryOptions({ sweepIds }));
  return (
    <Answered query={grid}>
      {({ runs: [...runs] }) => {
        const [longest] = runs.toSorted((a, b) => b.latestIteration - a.latestIteration);
        return longest && <ReplayOfRun runId={longest.id} />;
      }}
    </Answered>
  );
}

function ReplayOfRun({ runId }: { runId: string }) {
  const query = useQuery(useTrpc().stability.replay.queryOptions({ runId }));
  return (
    <Answered query={query}>
      {(replay) => <Panels replay={replay} iteration={Infinity} color="var(--accent)" />}
    </Answered>
  );
}

function Curves({ sweepIds, isExported = false }: Props & { isExported?: boolean }) {
  const trpc = useTrpc();
  const scope = { sweepIds };
  const { metric = "" } = useMetric(sweepIds);
  const asked = { scope, keys: [metric], seeds: false, aggregate: "interval", range: null } as const;
  const charts = useQuery(trpc.series.charts.queryOptions({ ...asked, keys: [metric] }, { enabled: metric !== "" }));
  const grid = useQuery(trpc.run.grid.queryOptions({ sweepIds }));
  return (
    <Answered query={grid}>
      {({ cells, runs }) => (
        <Answered query={charts}>
          {({ charts: [chart] }) => {
            if (!chart) return null;
            const legend = prepareLegend(cells);
            const settings = parseSettings(new URLSearchParams());
            const model = prepareChart({ chart, legend, runs: nameRuns(runs), settings });
            if (isExported) return <PaperPlot model={model} legend={legend} source="" />;
            return <Measured height={220}>{(width) => <Plot {...{ model, width }} height={220} />}</Measured>;
          }}
        </Answered>
      )}
    </Answered>
  );
}

type DimensionsLook = { data: AnswerTo<"dimensions">; title: string; short: string; isRate: boolean };

function ofDimensions(draw: (look: DimensionsLook) => ReactNode): ComponentType<Props> {
  return function Dimensions({ sweepIds }) {
    const { metric } = useMetric(sweepIds);
    const { title, unit } = describeMetric(metric ?? "");
    const asked = useTrpc().analysis.dimensions.queryOptions({ sweepIds, metric: metric ?? "" });
    const query = useQuery({ ...asked, enabled: metric !== undefined });
    return (
      <Answered query={query}>
        {(data) => {
          const isRate = data.unit === "metric" && unit === "fraction";
          return draw({ data, title, short: shortUnit(data.unit, title), isRate });
        }}
      </Answered>
    );
  };
}

function Phases({ sweepIds }: Props) {
  const query = useQuery(useTrpc().analysis.phases.queryOptions({ sweepIds }));
  return (
    <Answered query={query}>
      {({ study, runs }) =>
        study?.diagrams.map((diagram) => (
          <PhaseFigure key={diagram.group} title={diagram.group || "All runs"} axes={study} {...{ diagram, runs }} />
        ))
      }
    </Answered>
  );
}

function Transfer({ sweepIds }: Props) {
  const query = useQuery(useTrpc().analysis.transfer.queryOptions({ sweepIds }));
  return <Answered query={query}>{(data) => data.rows.length > 0 && <HeatMaps data={data} view="after" />}</Answered>;
}

function Behaviour({ sweepIds }: Props) {
  const query = useQuery(useTrpc().analysis.behaviour.queryOptions({ sweepIds }));
  return (
    <Answered query={query}>
      {({ flows, types }) => flows.map(({ title, ...flow }) => <FlowFigure key={title} {...{ title, flow, types }} />)}
    </Answered>
  );
}

function Rescue({ sweepIds }: Props) {
  const query = useQuery(useTrpc().analysis.rescue.queryOptions({ sweepIds }));
  return (
    <Answered query={query}>
      {({ answer: { overall } }) =>
        overall.length > 0 && (
          <ArmTable caption="Effect of each change" rows={overall.map((arm) => ({ key: arm.arm, arm }))} />
        )
      }
    </Answered>
  );
}

function Claims({ sweepIds }: Props) {
  const query = useQuery(useTrpc().analysis.claims.queryOptions({ sweepIds }));
  return (
    <Answered query={query}>
      {({ findings }) =>
        findings
          .filter(({ outcome }) => outcome !== "notEnough")
          .map((finding) => <FindingCard key={finding.id} finding={finding} />)
      }
    </Answered>
  );
}

const usual = { columns: [], outcome: "", form: "method" } as const;

function Importance({ sweepIds }: Props) {
  const asked = { ...usual, scope: { sweepIds }, columns: [] };
  const query = useQuery(useTrpc().runTable.importance.queryOptions(asked));
  return (
    <Answered query={query}>
      {({ importance: { importance, parameters } }) =>
        importance && <Bars importance={importance} titles={parameters.map(({ title }) => title)} />
      }
    </Answered>
  );
}

type Shown = { study: Study; looks: Looks; isBrushed: readonly boolean[] };

function ofStudy(draw: (shown: Shown) => ReactNode): ComponentType<Props> {
  return function Hyperparameters({ sweepIds }) {
    const query = useQuery(useTrpc().runTable.study.queryOptions({ scope: { sweepIds }, columns: [] }));
    return (
      <Answered query={query}>
        {(data) => {
          const study = prepareStudy(data, usual);
          if (study.parameters.length === 0) return null;
          return draw({ study, looks: prepareLooks(study, "result"), isBrushed: study.runs.map(() => true) });
        }}
      </Answered>
    );
  };
}

const parallelHeight = 320;

function Parallel({ study: { parameters, outcome }, looks, isBrushed }: Shown) {
  const axes = [...parameters, inWords(outcome)].map((column) => prepareAxis(column, outcome.values));
  return (
    <Measured height={parallelHeight}>
      {(width) => (
        <ParallelDrawing
          {...{ axes, looks, isBrushed }}
          geometry={layOut(axes.length, width, parallelHeight)}
          hasTitles
        />
      )}
    </Measured>
  );
}

function ofSearch(draw: (of: ShownConfiguration, report: SearchReport) => ReactNode): ComponentType<Props> {
  return function Search({ sweepIds: [id = ""] }) {
    const query = useQuery(useTrpc().sweep.search.queryOptions({ id }));
    return (
      <Answered query={query}>
        {(report) =>
          report?.configurations.map((one) => {
            const drawn = draw(one, report);
            return drawn && <div key={one.name}>{drawn}</div>;
          })
        }
      </Answered>
    );
  };
}
