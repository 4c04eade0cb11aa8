"use client";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useGo } from "#app/_ui/useSelection.ts";
import { useDeferredValue, useMemo } from "react";
import { describeAbsent, nodesWith } from "#server/domain/fleet/nodes/providers.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import type { ModelFacts } from "#server/engine/models/describeModel.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { Tabs } from "#app/_ui/Tabs.tsx";
import { BasicsSection } from "./basics/BasicsSection.tsx";
import type { BuilderAction, BuilderState } from "./draft/builderState.ts";
import type { Draft } from "./draft/draft.ts";
import type { FieldIssue } from "./draft/levels.ts";
import { DimensionsSection } from "./dimensions/DimensionsSection.tsx";
import { EnvironmentsSection } from "./environments/EnvironmentsSection.tsx";
import { HyperparametersSection } from "./hyperparameters/HyperparametersSection.tsx";
import { LaunchBar } from "./summary/LaunchBar.tsx";
import { PolicySection } from "./policy/PolicySection.tsx";
import { MethodsSection } from "./methods/MethodsSection.tsx";
import { type Means, prepareSummary } from "./summary/prepareSummary.ts";
import { countFileProblems, listFileProblems, listProblems } from "./summary/describeIssue.ts";
import { StartFrom } from "./basics/StartFrom.tsx";
import { SectionList } from "./summary/SectionList.tsx";
import { SummaryPanel } from "./summary/SummaryPanel.tsx";
import { Commands } from "./trainer/Commands.tsx";
import { TrainerSection } from "./trainer/TrainerSection.tsx";
import { usePreview } from "./trainer/usePreview.ts";
import { policyKindOf } from "./draft/policyDraft.ts";
import { probeModel } from "./draft/probeModel.ts";
import { checkDraft } from "./draft/toPlan.ts";
import { forgetBuilder, useBuilder } from "./draft/useBuilder.ts";
import { loadPlanFile, usePlanFile, type PlanFile } from "./draft/usePlanFile.ts";

const YamlTab = dynamic(() => import("./YamlTab.tsx").then((module) => module.YamlTab));

const tabs = [
  { value: "form", label: "Form" },
  { value: "yaml", label: "YAML" },
] as const;

/** Default until the accuracy of past estimates is known. */
const noBasis = { calibrations: [], models: {}, prices: null };

export function SweepBuilder({ start }: { start: SweepPlan | undefined }) {
  const trpc = useTrpc();
  const go = useGo();
  const [state, dispatch] = useBuilder(start);
  const file = usePlanFile(state.tab === "yaml");
  const checked = useChecked(state, file);
  const preview = usePreview(checked.valid ?? checked.probe);
  const means = { ...useMeans(checked.valid?.plan), facts: preview.models };
  const launch = useAction(trpc.sweep.create.mutationOptions(), {
    stale: [trpc.sweep.list.queryFilter()],
    showsError: true,
    onDone: ({ id }) => {
      forgetBuilder();
      go(`/sweeps/${id}`);
    },
  });
  const { draft } = state;
  const edit = (changed: typeof draft) => dispatch({ do: "edit", draft: changed });
  const summary = checked.valid && preview.issues.length === 0 ? prepareSummary(checked.valid, means) : undefined;
  const issues = [...checked.issues, ...preview.issues];
  const problems =
    state.tab === "yaml"
      ? countFileProblems(checked.numInFile, preview.issues)
      : listProblems(issues, policyKindOf(draft));
  const parts = { draft, edit, issues, absent: means.absent, models: preview.models };
  return (
    <>
      <PageHead title="New sweep" actions={<StartFrom canUndo={state.replaced !== undefined} dispatch={dispatch} />} />
      <div className="flex flex-col gap-4 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start">
        <Tabs
          label="Ways to write the sweep"
          tabs={tabs}
          value={state.tab}
          onChange={(tab) => void openTab(tab, state).then(dispatch)}
        >
          {state.tab === "form" && <FormSections {...parts} />}
          {state.tab === "yaml" && file && <YamlTab yaml={state.yaml} read={checked.read} dispatch={dispatch} />}
          {state.tab === "yaml" && !file && <Skeleton className="h-[28rem]" />}
          <div className="mt-4">
            {preview.error && <Notice tone="bad">{errorWords(preview.error)}</Notice>}
            <Busy isBusy={preview.isStale}>
              <Commands cells={preview.cells} form={state.tab === "form" ? { draft, edit } : undefined} />
            </Busy>
          </div>
        </Tabs>
        <div className="max-lg:contents lg:sticky lg:flex lg:flex-col lg:gap-4 lg:top-16 lg:max-h-[calc(100dvh-5rem)] lg:overflow-y-auto">
          {summary && <SummaryPanel summary={summary} />}
          {launch.error && <Notice tone="bad">{errorWords(launch.error)}</Notice>}
          <LaunchBar
            summary={summary}
            problems={problems}
            isBusy={launch.isPending || launch.isSuccess}
            onLaunch={() => checked.valid && launch.mutate(checked.valid.plan)}
          />
        </div>
      </div>
    </>
  );
}

/** Resources available to the plan. */
function useMeans(plan: SweepPlan | undefined): Means {
  const trpc = useTrpc();
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const { data: basis = noBasis } = useQuery(trpc.cost.basis.queryOptions());
  const { data: nodes = [] } = useQuery(trpc.nodes.list.queryOptions());
  const slots = health && health.state !== "never" ? health.slots : 1;
  const labels = plan?.placement?.labels ?? [];
  return { slots, absent: describeAbsent(nodes, labels), nodes: nodesWith(nodes, labels), ...basis };
}

type Parts = {
  draft: Draft;
  edit: (draft: Draft) => void;
  issues: readonly FieldIssue[];
  absent: Readonly<Record<string, string>>;
  models: readonly ModelFacts[];
};

/** Scroll margin: a link to a section shows its head below the sticky bars. */
const section = "flex flex-col gap-4 scroll-mt-28 xl:scroll-mt-16";

function FormSections(parts: Parts) {
  const ofMethods = parts.issues.flatMap(({ field, message }) => (field === "methods" ? [message] : []));
  return (
    <div className="xl:grid xl:grid-cols-[9.5rem_minmax(0,1fr)] xl:gap-4">
      <SectionList />
      <div className="flex min-w-0 flex-col gap-4 max-xl:mt-2">
        <div id="section-basics" className={section}>
          <BasicsSection {...parts} />
          <TrainerSection {...parts} />
        </div>
        <div id="section-methods" className={section}>
          <MethodsSection draft={parts.draft} edit={parts.edit} problems={ofMethods} />
        </div>
        <div id="section-dimensions" className={section}>
          <DimensionsSection {...parts} />
        </div>
        <div id="section-environments" className={section}>
          <EnvironmentsSection {...parts} />
        </div>
        <div id="section-policy" className={section}>
          <PolicySection {...parts} />
        </div>
        <div id="section-hyperparameters" className={section}>
          <HyperparametersSection {...parts} />
        </div>
      </div>
    </div>
  );
}

/** Converts the contents to the other tab's format. */
async function openTab(tab: BuilderState["tab"], { draft, yaml }: BuilderState): Promise<BuilderAction> {
  const { readYaml, writeYaml } = await loadPlanFile();
  if (tab === "yaml") return { do: "openYaml", text: writeYaml(draft) };
  return { do: "openForm", plan: readYaml(yaml.text).plan };
}

const nothingRead = { plan: undefined, issues: [] };

/** Content of the open tab as a plan. Deferred, so that typing never waits for the expansion of a large grid. */
function useChecked(state: BuilderState, file: PlanFile | undefined) {
  const { tab, draft, yaml } = useDeferredValue(state);
  return useMemo(() => {
    if (tab === "form") {
      const { valid, issues } = checkDraft(draft);
      return { valid, issues, numInFile: 0, read: nothingRead, probe: valid ? undefined : probeModel(draft) };
    }
    const read = file ? file.readYaml(yaml.text) : nothingRead;
    const valid = read.plan && { plan: read.plan, expansion: expandPlan(read.plan) };
    return { valid, issues: [], numInFile: listFileProblems(read.issues).length, read, probe: undefined };
  }, [tab, draft, yaml, file]);
}
