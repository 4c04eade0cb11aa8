"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { formatCount } from "#app/_charts/format.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { MethodChip } from "#app/_ui/MethodChip.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { ImportRuns } from "./_import/ImportRuns.tsx";
import type { Preset } from "#server/api/reports/presets.ts";

/** What an empty installation shows: one click to something that learns within minutes. */
export function FirstSweep() {
  const trpc = useTrpc();
  const { data: presets } = useQuery(trpc.sweep.presets.queryOptions());
  const quickLook = presets?.find(({ id }) => id === "quick-look");
  return (
    <>
      <h1 className="sr-only">Sweeps</h1>
      <EmptyState title="No sweep yet">
        <p className="mb-4">
          A sweep trains several methods on the same tasks with several seeds, and shows which of them stay stable.
        </p>
        {presets ? quickLook && <QuickLook preset={quickLook} /> : <Skeleton className="h-28 w-80" />}
        {/* No paragraph: a dialog is in here, which a browser would move out of one. */}
        <div className="mt-4 flex flex-wrap justify-center gap-2">
          <Link href="/sweeps/new" className={buttonClasses("plain")}>
            <Icon name="plus" /> Build a new sweep
          </Link>
          <ImportRuns />
        </div>
      </EmptyState>
    </>
  );
}

function QuickLook({ preset: { plan } }: { preset: Preset }) {
  const trpc = useTrpc();
  const router = useRouter();
  const launch = useAction(trpc.sweep.create.mutationOptions(), {
    stale: [trpc.sweep.list.queryFilter()],
    showsError: true,
    onDone: ({ id }) => router.push(`/sweeps/${id}`),
  });
  const { cells, runs } = expandPlan(plan);
  const methods = [...new Set(cells.map(({ method }) => method))];
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 rounded-lg border border-line bg-surface p-4 text-text">
      <h3 className="font-semibold">{plan.name}</h3>
      <div className="flex flex-wrap justify-center gap-1">
        {methods.map((name) => (
          <MethodChip key={name} name={name} names={methods} />
        ))}
      </div>
      <p className="text-muted">{plan.description}</p>
      <p className="text-muted">
        {formatCount(runs.length, "run")}, {formatCount(plan.seeds.length, "seed")} each.
      </p>
      <Button kind="primary" disabled={launch.isPending || launch.isSuccess} onClick={() => launch.mutate(plan)}>
        <Icon name="play" /> {launch.isPending ? "Launching…" : `Run ${plan.name}`}
      </Button>
      {launch.error && <Notice tone="bad">{errorWords(launch.error)}</Notice>}
    </div>
  );
}
