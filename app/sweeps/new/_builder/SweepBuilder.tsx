"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
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
import { type BuilderAction, type BuilderState, forgetBuilder, useBuilder } from "./draft/builderState.ts";
import type { Checked } from "./draft/check.ts";
import type * as checking from "./draft/checking.ts";
import { policyKindOf } from "./draft/policy.ts";
import { emptyFile, type Part } from "./draft/sweepFile.ts";
import { Environments } from "./Environments.tsx";
import { Fold, FormProvider, useForm } from "./form.tsx";
import { Launch } from "./Launch.tsx";
import { Methods } from "./Methods.tsx";
import type { Means } from "./prepareSummary.ts";
import { describeSections, listKept } from "./sections.ts";
import { Trainer } from "./Trainer.tsx";
import { type Preview, usePreview } from "./usePreview.ts";

const YamlTab = dynamic(() => import("./YamlTab.tsx").then((module) => module.YamlTab));
const Commands = dynamic(() => import("./Commands.tsx").then((module) => module.Commands));
// Sections are loaded when they are opened, because beginners need none of them.
const EnvironmentSettings = dynamic(() =>
  import("./EnvironmentSettings.tsx").then((module) => module.EnvironmentSettings),
);
const Elsewhere = dynamic(() => import("./Elsewhere.tsx").then((module) => module.Elsewhere));
const Dimensions = dynamic(() => import("./Dimensions.tsx").then((module) => module.Dimensions));
const Policy = dynamic(() => import("./Policy.tsx").then((module) => module.Policy));
const Hyperparameters = dynamic(() => import("./Hyperparameters.tsx").then((module) => module.Hyperparameters));
const Search = dynamic(() => import("./Search.tsx").then((module) => module.Search));
const Running = dynamic(() => import("./Running.tsx").then((module) => module.Running));

const tabs = [
  { value: "form", label: "Form" },
  { value: "yaml", label: "YAML" },
] as const;

/** Basis of time estimates until the accuracy of past estimates is loaded. */
const noBasis = { calibrations: [], models: {}, prices: null };

export function SweepBuilder({ start }: { start: Part | undefined }) {
  const [state, dispatch] = useBuilder(start);
  const { file, aside } = state.now;
  const [isTouched, setTouched] = useState(false);
  const check = useModule(isTouched || state.tab === "yaml" || file !== emptyFile, loadChecking);
  const checked = useChecked(file, check);
  const view = useYamlView(state, checked);
  const preview = usePreview(checked.valid ?? checked.probe);
  const means = { ...useMeans(checked.countable?.plan), facts: preview.models, doubts: preview.doubts };
  const launch = useLaunch();
  const edit = (changed: Part, kept?: Part) =>
    dispatch({ do: "edit", file: changed, ...(kept && { aside: kept }), atMs: Date.now() });
  const summary =
    checked.countable && !state.now.isBroken ? check?.prepareSummary(checked.countable, means) : undefined;
  const issues = [...checked.issues, ...preview.issues];
  const problems =
    // While the editor of the file loads, the form's problems keep an invalid file from being launched.
    state.tab === "yaml" && view
      ? check?.countFileProblems(view.issues, preview.issues)
      : check?.listProblems(issues, policyKindOf(file));
  return (
    <FormProvider form={{ file, aside, edit, issues, absent: means.absent, models: preview.models }}>
      <PageHead title="New sweep" actions={<Actions state={state} dispatch={dispatch} />} />
      <div
        className="flex flex-col gap-4 lg:grid lg:grid-cols-[minmax(0,1fr)_20rem] lg:items-start"
        onFocus={() => setTouched(true)}
      >
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
            <PreviewedCommands preview={preview} isForm={state.tab === "form"} />
          </div>
        </Tabs>
        <div className="max-lg:contents lg:sticky lg:top-16 lg:flex lg:max-h-[calc(100dvh-5rem)] lg:flex-col lg:gap-4 lg:overflow-y-auto">
          {launch.error && <Notice tone="bad">{errorWords(launch.error)}</Notice>}
          <Launch
            summary={summary}
            isUnchecked={!check && file !== emptyFile}
            problems={problems ?? []}
            isBusy={launch.isPending || launch.isSuccess}
            onLaunch={() => checked.valid && launch.mutate(checked.valid.plan)}
          />
        </div>
      </div>
    </FormProvider>
  );
}

function PreviewedCommands({ preview, isForm }: { preview: Preview; isForm: boolean }) {
  const form = useForm();
  return (
    <>
      {preview.error && <Notice tone="bad">{errorWords(preview.error)}</Notice>}
      <Busy isBusy={preview.isStale}>
        {preview.cells.length > 0 && <Commands cells={preview.cells} form={isForm ? form : undefined} />}
      </Busy>
    </>
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
  // The local import needs no network, so React Query must not pause it while the browser is offline.
  const loading = useMutation({
    networkMode: "always",
    mutationFn: async ({ plan }: { plan: SweepPlan; from: BuilderState["now"] }) => (await loadChecking()).toFile(plan),
    onSuccess: (file, { from }) => dispatch({ do: "start", file, from }),
  });
  const start = (id: string) => {
    const plan = presets.find((preset) => preset.id === id)?.plan;
    if (plan) loading.mutate({ plan, from: state.now });
    else dispatch({ do: "start", file: emptyFile });
  };
  const options = [
    { value: "", label: loading.isPending ? "Loading…" : "Start from…" },
    { value: "nothing", label: "An empty form" },
    ...presets.map(({ id, plan, isPaper }) => ({ value: id, label: plan.name, ...(isPaper && { group: "Papers" }) })),
  ];
  return (
    <>
      {loading.error && (
        <Notice tone="bad">
          The preset could not be loaded: {loading.error.message}. Reload the page; it keeps what you have entered.
        </Notice>
      )}
      <fieldset disabled={loading.isPending} aria-busy={loading.isPending}>
        <Choice label="Start from a preset" options={options} value="" onChange={(id) => id !== "" && start(id)} />
      </fieldset>
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

/** Loads a module on demand; undefined until it is loaded. `load` must not change. */
function useModule<Module>(isNeeded: boolean, load: () => Promise<Module>): Module | undefined {
  const [loaded, setLoaded] = useState<{ module: Module } | { error: Error }>();
  useEffect(() => {
    if (isNeeded)
      load().then(
        (module) => setLoaded({ module }),
        (error: Error) => setLoaded({ error }),
      );
  }, [isNeeded, load]);
  if (loaded && "error" in loaded) throw loaded.error;
  return loaded?.module;
}

/** The YAML library is a tenth of the page's JavaScript, and most sweeps are created in the form. */
const loadYaml = (): Promise<typeof yamlText> => import("#server/domain/plan/sweep/file/yamlText.ts");
/** The checks are an eighth of it; the empty form does not need them until someone uses it. */
const loadChecking = (): Promise<typeof checking> => import("./draft/checking.ts");

type Checking = typeof checking | undefined;
const unchecked: Checked = { valid: undefined, countable: undefined, issues: [], problems: [] };

/** Checks a deferred file, so that typing never waits for a large grid's expansion. */
function useChecked(file: Part, check: Checking) {
  const deferred = useDeferredValue(file);
  return useMemo(() => {
    const checked = check?.checkFile(deferred) ?? unchecked;
    return { ...checked, probe: checked.valid ? undefined : check?.probeModel(deferred) };
  }, [deferred, check]);
}

/** Returns the file as text, with all errors at their lines; undefined until the YAML library is loaded. */
function useYamlView({ tab, now }: BuilderState, { problems }: Checked) {
  const yaml = useModule(tab === "yaml", loadYaml);
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
