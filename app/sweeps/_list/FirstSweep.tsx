import { pages, sweepPage } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "#app/_ui/Link.tsx";
import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { useGo } from "#app/_ui/useSelection.ts";
import type { ReactNode } from "react";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import type { Preset } from "#server/api/plan/presets.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { type ShippedId, shippedStudies } from "#server/domain/publish/shippedStudies.ts";
import { OpenStudy } from "#app/_components/OpenStudy.tsx";
import { ImportRuns } from "./_import/ImportRuns.tsx";

/** Start page of an installation without sweeps: three ways to begin. */
export function FirstSweep() {
  const trpc = useTrpc();
  const { data: presets } = useQuery(trpc.sweep.presets.queryOptions());
  const quickLook = presets?.find(({ id }) => id === "quick-look");
  return (
    <>
      <div className="mt-6 mb-8 max-w-[72ch]">
        <h1 className="mb-2 text-2xl font-semibold text-balance">Which method stays stable, and how sure are we?</h1>
        <p className="text-lg text-muted">
          A sweep trains several methods on the same tasks with several seeds. Its curves, collapses and tables answer
          both questions.
        </p>
      </div>
      <div className="grid gap-4 md:grid-cols-3">
        <RecordedStudies />
        {presets ? quickLook && <QuickLook preset={quickLook} /> : <Skeleton className="h-56" />}
        <Door title="Your own sweep" time="Takes as long as the chosen budget">
          <p className="text-muted">
            A grid of methods, environments, hyperparameters and seeds. You can also import runs of verl, TRL and other
            trainers.
          </p>
          <div className="mt-auto flex flex-wrap gap-2">
            <Link href={pages.newSweep} className={buttonClasses("plain")}>
              <Icon name="plus" /> Build a new sweep
            </Link>
            <ImportRuns />
          </div>
        </Door>
      </div>
      <Picture />
    </>
  );
}

function Picture() {
  const shared = {
    alt: "Page of a sweep: the leading method with its uncertainty, a row per configuration, and curves",
    width: 1440,
    height: 900,
    className: "mt-8 w-full max-w-5xl rounded-lg border border-line",
  };
  return (
    <>
      <img {...shared} src="/pictures/sweep-light.jpg" className={`${shared.className} dark:hidden`} />
      <img
        {...shared}
        src="/pictures/sweep-dark.jpg"
        className={`${shared.className} hidden dark:block`}
        loading="lazy"
      />
    </>
  );
}

type DoorProps = { title: string; time: string; children: ReactNode };

function Door({ title, time, children }: DoorProps) {
  return (
    <section className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div>
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-sm text-muted">{time}</p>
      </div>
      {children}
    </section>
  );
}

function Methods({ names }: { names: readonly string[] }) {
  return (
    <div className="flex flex-wrap gap-1">
      {names.map((name) => (
        <MethodChip key={name} name={name} names={names} />
      ))}
    </div>
  );
}

const studyTexts: Record<ShippedId, string> = {
  table3: "a repetition of ARLArena’s Table 3 on small tasks, including runs that collapsed",
  rescue: "branches of collapsed runs, each with one changed setting",
  transfer: "policies evaluated in environments that they were not trained in",
  behaviour: "evaluations that logged every action, of two methods",
};

/** Recorded studies, by the question that each answers, so that every page has content at once. */
function RecordedStudies() {
  return (
    <Door title="A recorded study" time="Opens within seconds, Rescue within a minute">
      <ul className="flex flex-col gap-4">
        {(Object.keys(shippedStudies) as ShippedId[]).map((id) => (
          <li key={id} className="flex flex-col gap-2">
            <h3 className="font-medium">{shippedStudies[id].asks}</h3>
            <RecordedStudy study={id} />
          </li>
        ))}
      </ul>
    </Door>
  );
}

function RecordedStudy({ study }: { study: ShippedId }) {
  const trpc = useTrpc();
  const { data } = useQuery(trpc.study.shipped.queryOptions({ study }));
  if (!data) return <Skeleton className="h-16" />;
  const isFirst = study === "table3";
  return (
    <>
      <p className="text-sm text-muted">
        {formatCount(data.numRuns, "real run")} in {data.environments.map(titleOfEnvironment).join(", ")}:{" "}
        {studyTexts[study]}.
      </p>
      <OpenStudy
        study={study}
        kind={isFirst ? "primary" : "plain"}
        label={isFirst ? "Open the recorded study" : `Open ${shippedStudies[study].title}`}
      />
    </>
  );
}

function QuickLook({ preset: { plan } }: { preset: Preset }) {
  const trpc = useTrpc();
  const go = useGo();
  const launch = useAction(trpc.sweep.create.mutationOptions(), {
    stale: [trpc.sweep.list.queryFilter()],
    showsError: true,
    onDone: ({ id }) => go(sweepPage(id)),
  });
  const { cells, runs } = expandPlan(plan);
  return (
    <Door title={plan.name} time={`${formatCount(runs.length, "run")}, about two minutes on two cores`}>
      <Methods names={[...new Set(cells.map(({ method }) => method))]} />
      <p className="text-muted">{plan.description}</p>
      <div className="mt-auto">
        <ActionButton disabled={launch.isPending || launch.isSuccess} onClick={() => launch.mutate(plan)}>
          <Icon name="play" /> {launch.isPending ? "Launching…" : `Run ${plan.name}`}
        </ActionButton>
      </div>
      {launch.error && <Notice tone="bad">{errorWords(launch.error)}</Notice>}
    </Door>
  );
}
