"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { type Dispatch, useDeferredValue, useEffect, useMemo, useState } from "react";
import { describeAbsent, nodesWith } from "#server/domain/fleet/nodes/providers.ts";
import type * as yamlText from "#server/domain/plan/sweep/file/yamlText.ts";
import { formatPath } from "#server/domain/plan/sweep/problems.ts";
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
import { PlanField } from "./LevelFields.tsx";
import { type BuilderAction, type BuilderState, forgetBuilder, useBuilder } from "./draft/builderState.ts";
import { type Checked, checkFile, probeModel } from "./draft/check.ts";
import { planFields } from "./draft/planFields.ts";
import { policyKindOf } from "./draft/policy.ts";
import { type Part, readIn } from "./draft/sweepFile.ts";
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
  const [state, dispatch] = useBuilder(start);
  const { file, aside } = state.now;
  const checked = useChecked(state.now);
  const view = useYamlView(state, checked);
  const preview = usePreview(checked.valid ?? checked.probe);
  const means = { ...useMeans(checked.countable?.plan), facts: preview.models, doubts: preview.doubts };
  const launch = useLaunch();
  const edit = (changed: Part, kept?: Part) =>
    dispatch({ do: "edit", file: changed, ...(kept && { aside: kept }), atMs: Date.now() });
  const summary = checked.countable && !state.now.isBroken ? prepareSummary(checked.countable, means) : undefined;
  const issues = [...checked.issues, ...preview.issues];
  const problems =
    // While the editor of the file loads, the form's problems keep an invalid file from being launched.
    state.tab === "yaml" && view
      ? countFileProblems(listFileProblems(view.issues).length, preview.issues)
      : listProblems(issues, policyKindOf(file));
  return (
    <FormProvider form={{ file, aside, edit, issues, absent: means.absent, models: preview.models }}>
      <PageHead title="New sweep" actions={<Actions state={state} dispatch={dispatch} />} />
      <div className="flex flex-col gap-4 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start">
        <Tabs
          label="Ways to write the sweep"
          tabs={tabs}
          value={state.tab}
          onChange={(tab) => dispatch({ do: "open", tab })}
        >
          {state.tab === "form" && <Form />}
          {state.tab === "yaml" && view && (
            <YamlTab
              {...view}
              isBroken={state.now.isBroken}
              onType={(typed) => dispatch({ do: "type", text: typed, file: view.read(typed), atMs: Date.now() })}
            />
          )}
          {state.tab === "yaml" && !view && <Skeleton className="h-[28rem]" />}
          <div className="mt-4">
            {preview.error && <Notice tone="bad">{errorWords(preview.error)}</Notice>}
            <Busy isBusy={preview.isStale}>
              <Commands cells={preview.cells} form={state.tab === "form" ? { file, edit } : undefined} />
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

function useLaunch() {
  const trpc = useTrpc();
  const go = useGo();
  return useAction(trpc.sweep.create.mutationOptions(), {
    stale: [trpc.sweep.list.queryFilter()],
    showsError: true,
    onDone: ({ id }) => {
      forgetBuilder();
      go(`/sweeps/${id}`);
    },
  });
}

function Form() {
  const { file } = useForm();
  const about = describeSections(file);
  const kept = listKept(file);
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

function Actions({ state, dispatch }: { state: BuilderState; dispatch: Dispatch<BuilderAction> }) {
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
      {state.past.length + state.future.length > 0 && (
        <>
          <Button disabled={state.past.length === 0} onClick={() => dispatch({ do: "undo" })}>
            Undo
          </Button>
          <Button disabled={state.future.length === 0} onClick={() => dispatch({ do: "redo" })}>
            Redo
          </Button>
        </>
      )}
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

type YamlText = typeof yamlText;

/** Loads the YAML library, a tenth of the page's JavaScript, on demand: most sweeps are created in the form. */
function useYamlText(isNeeded: boolean): YamlText | undefined {
  const [text, setText] = useState<YamlText>();
  useEffect(() => {
    if (isNeeded) void import("#server/domain/plan/sweep/file/yamlText.ts").then(setText);
  }, [isNeeded]);
  return text;
}

/** Checks a deferred file, so that typing never waits for a large grid's expansion. */
function useChecked({ file }: BuilderState["now"]) {
  const deferred = useDeferredValue(file);
  return useMemo(() => {
    const checked = checkFile(deferred);
    return { ...checked, probe: checked.valid ? undefined : probeModel(deferred) };
  }, [deferred]);
}

/** Returns the file as text, with all errors at their lines; undefined until the YAML library is loaded. */
function useYamlView({ tab, now }: BuilderState, { problems }: Checked) {
  const yaml = useYamlText(tab === "yaml");
  const shown = useMemo(() => {
    if (tab !== "yaml" || !yaml) return undefined;
    const text = now.isBroken ? now.text : yaml.writeText(now.text, now.file);
    return { text, ...yaml.readText(text), read: (typed: string) => yaml.readText(typed).file };
  }, [tab, now, yaml]);
  return useMemo(() => {
    if (!shown) return undefined;
    const located = problems.map(({ path, message }) => {
      const line = shown.lineOf(path);
      return { path: formatPath(path), message, ...(line !== undefined && { line }) };
    });
    return { text: shown.text, read: shown.read, issues: shown.file ? located : shown.issues };
  }, [shown, problems]);
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
  const { file } = useForm();
  const all = planFields().filter(({ group }) => group === part);
  // Without early stopping or a rescue rule, its details have no effect and are hidden.
  const isOff = part !== "placement" && readIn(file, [part]) === undefined;
  const shown = isOff ? all.slice(0, 1) : all;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium">{title}</legend>
      <Problems field={part} />
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 lg:grid-cols-4">
        {shown.map((field) => (
          <PlanField key={field.path} field={field} describe={(at) => ({ label: `When ${at}` })} />
        ))}
      </div>
    </fieldset>
  );
}
