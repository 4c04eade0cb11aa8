"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { type Dispatch, useDeferredValue, useEffect, useMemo, useState } from "react";
import { describeAbsent, nodesWith } from "#server/domain/fleet/nodes/providers.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Busy, Skeleton } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Tabs } from "#app/_ui/Tabs.tsx";
import { useGo } from "#app/_ui/useSelection.ts";
import { Basics, Note } from "./Basics.tsx";
import { Commands } from "./Commands.tsx";
import { LevelField } from "./LevelFields.tsx";
import { type BuilderAction, type BuilderState, forgetBuilder, useBuilder } from "./draft/builderState.ts";
import type * as planFile from "./draft/planFile.ts";
import { policyKindOf } from "./draft/policyDraft.ts";
import { planFields } from "./draft/searchDraft.ts";
import { checkDraft, probeModel } from "./draft/toPlan.ts";
import { Environments, EnvironmentSettings } from "./Environments.tsx";
import { Fold, FormProvider, Problems, useForm } from "./form.tsx";
import { Launch } from "./Launch.tsx";
import { Methods } from "./Methods.tsx";
import { type Means, prepareSummary } from "./prepareSummary.ts";
import { countFileProblems, listFileProblems, listProblems } from "./problems.ts";
import { describeSections, listKept } from "./sections.ts";
import { Trainer } from "./Trainer.tsx";
import { usePreview } from "./usePreview.ts";

const YamlTab = dynamic(() => import("./YamlTab.tsx").then((module) => module.YamlTab));
// Dynamic imports: form sections that beginners do not need are loaded when they are opened.
const Elsewhere = dynamic(() => import("./Elsewhere.tsx").then((module) => module.Elsewhere));
const Dimensions = dynamic(() => import("./Dimensions.tsx").then((module) => module.Dimensions));
const Policy = dynamic(() => import("./Policy.tsx").then((module) => module.Policy));
const Hyperparameters = dynamic(() => import("./Hyperparameters.tsx").then((module) => module.Hyperparameters));
const Search = dynamic(() => import("./Search.tsx").then((module) => module.Search));

const tabs = [
  { value: "form", label: "Form" },
  { value: "yaml", label: "YAML" },
] as const;

/** Basis of time estimates until the accuracy of past estimates is loaded. */
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
  return (
    <FormProvider form={{ draft, edit, issues, absent: means.absent, models: preview.models }}>
      <PageHead title="New sweep" actions={<StartFrom canUndo={state.replaced !== undefined} dispatch={dispatch} />} />
      <div className="flex flex-col gap-4 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start">
        <Tabs
          label="Ways to write the sweep"
          tabs={tabs}
          value={state.tab}
          onChange={(tab) => void openTab(tab, state).then(dispatch)}
        >
          {state.tab === "form" && <Form />}
          {state.tab === "yaml" && file && <YamlTab yaml={state.yaml} read={checked.read} dispatch={dispatch} />}
          {state.tab === "yaml" && !file && <Skeleton className="h-[28rem]" />}
          <div className="mt-4">
            {preview.error && <Notice tone="bad">{errorWords(preview.error)}</Notice>}
            <Busy isBusy={preview.isStale}>
              <Commands cells={preview.cells} form={state.tab === "form" ? { draft, edit } : undefined} />
            </Busy>
          </div>
        </Tabs>
        <div className="max-lg:contents lg:sticky lg:top-16 lg:flex lg:max-h-[calc(100dvh-5rem)] lg:flex-col lg:gap-4 lg:overflow-y-auto">
          {launch.error && <Notice tone="bad">{errorWords(launch.error)}</Notice>}
          <Launch
            summary={summary}
            problems={problems}
            isBusy={launch.isPending || launch.isSuccess}
            onLaunch={() => checked.valid && launch.mutate(checked.valid.plan)}
          />
        </div>
      </div>
    </FormProvider>
  );
}

function Form() {
  const { draft } = useForm();
  const about = describeSections(draft);
  const kept = listKept(draft);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <div id="section-basics" className="scroll-mt-16">
          <Basics />
        </div>
        <Methods />
        <Environments />
      </div>
      <div className="divide-y divide-line rounded-lg border border-line bg-surface">
        <Fold id="section-settings" title="Environment settings" summary={about.settings}>
          <EnvironmentSettings />
        </Fold>
        <Fold id="section-elsewhere" title="Evaluate elsewhere" summary={about.elsewhere}>
          <Elsewhere />
        </Fold>
        <Fold id="section-dimensions" title="Four dimensions of methods" summary={about.dimensions}>
          <Dimensions />
        </Fold>
        <Fold id="section-policy" title="Policy" summary={about.policy}>
          <Policy />
        </Fold>
        <Fold id="section-hyperparameters" title="Hyperparameters" summary={about.hyperparameters}>
          <Hyperparameters />
        </Fold>
        <Fold id="section-search" title="Hyperparameter search" summary={about.search}>
          <Search />
        </Fold>
        <Trainer summary={about.trainer} />
        <Fold id="section-running" title="Placement, early stopping and rescue" summary={about.running}>
          <Running />
        </Fold>
        <Fold id="section-note" title="Note" summary={about.note}>
          <Note />
        </Fold>
      </div>
      {kept.length > 0 && (
        <Notice>
          The form has no fields for these parts of the sweep and keeps them unchanged: {kept.join(", ")}. Edit these
          parts in the tab YAML.
        </Notice>
      )}
    </div>
  );
}

function StartFrom({ canUndo, dispatch }: { canUndo: boolean; dispatch: Dispatch<BuilderAction> }) {
  const trpc = useTrpc();
  const { data: presets = [] } = useQuery(trpc.sweep.presets.queryOptions());
  const start = (id: string) => dispatch({ do: "start", plan: presets.find((preset) => preset.id === id)?.plan });
  const options = [
    { value: "", label: "Start from…" },
    { value: "nothing", label: "An empty form" },
    ...presets.map(({ id, plan, isPaper }) => ({ value: id, label: plan.name, ...(isPaper && { group: "Papers" }) })),
  ];
  return (
    <>
      <Choice label="Start from a preset" options={options} value="" onChange={(id) => id !== "" && start(id)} />
      {canUndo && <Button onClick={() => dispatch({ do: "undo" })}>Undo</Button>}
    </>
  );
}

function useMeans(plan: SweepPlan | undefined): Means {
  const trpc = useTrpc();
  const { data: health } = useQuery(trpc.system.health.queryOptions());
  const { data: basis = noBasis } = useQuery(trpc.cost.basis.queryOptions());
  const { data: nodes = [] } = useQuery(trpc.nodes.list.queryOptions());
  const slots = health && health.state !== "never" ? health.slots : 1;
  const labels = plan?.placement?.labels ?? [];
  return { slots, absent: describeAbsent(nodes, labels), nodes: nodesWith(nodes, labels), ...basis };
}

type PlanFile = typeof planFile;

/** Loads the YAML library, a tenth of the page's JavaScript, on demand: most sweeps are created in the form. */
const loadPlanFile = (): Promise<PlanFile> => import("./draft/planFile.ts");

function usePlanFile(isNeeded: boolean): PlanFile | undefined {
  const [file, setFile] = useState<PlanFile>();
  useEffect(() => {
    if (isNeeded) void loadPlanFile().then(setFile);
  }, [isNeeded]);
  return file;
}

/** Converts the other tab's content: form to YAML text, or YAML text to plan. */
async function openTab(tab: BuilderState["tab"], { draft, yaml }: BuilderState): Promise<BuilderAction> {
  const { readYaml, writeYaml } = await loadPlanFile();
  if (tab === "yaml") return { do: "openYaml", text: writeYaml(draft) };
  return { do: "openForm", plan: readYaml(yaml.text).plan };
}

const nothingRead = { plan: undefined, issues: [] };

/** Checks a deferred state, so that typing never waits for a large grid's expansion. */
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

function Running() {
  return (
    <div className="flex flex-col gap-4">
      <PlanFields part="placement" title="Placement" />
      <PlanFields part="stopping" title="Early stopping" />
      <PlanFields part="rescue" title="Rescue experiments" />
    </div>
  );
}

function PlanFields({ part, title }: { part: "placement" | "stopping" | "rescue"; title: string }) {
  const { draft, edit, problemOf } = useForm();
  const all = planFields().filter(({ group }) => group === part);
  // Without early stopping or a rescue rule, its details have no effect and are hidden; their texts are kept.
  const isOff = (part === "stopping" && !draft.plan["stopping.at"]) || (part === "rescue" && !draft.plan["rescue.on"]);
  const shown = isOff ? all.slice(0, 1) : all;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">{title}</legend>
      <Problems field={part} />
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {shown.map((field) => (
          <LevelField
            key={field.path}
            field={field}
            text={draft.plan[field.path] ?? ""}
            problem={problemOf(field.path)}
            hint={field.description}
            describe={(at) => ({ label: `When ${at}` })}
            isOptional
            onChange={(text) => edit({ ...draft, plan: { ...draft.plan, [field.path]: text } })}
          />
        ))}
      </div>
    </fieldset>
  );
}
