import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { SweepPlan } from "#server/domain/sweep/plan.ts";
import { Method } from "#trainer/spec/method.ts";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { SweepBuilder } from "./_builder/SweepBuilder.tsx";

export const metadata: Metadata = { title: "New sweep" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** `?from=SWEEP` starts from a sweep that was launched before (with `&point=` of one new point in the dimensions), `?preset=quick-look` from a preset. */
export default async function NewSweepPage({ searchParams }: Props) {
  const { from, preset, point } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/sweeps/new");
  const presets = await queryClient.fetchQuery(trpc.sweep.presets.queryOptions());
  await queryClient.prefetchQuery(trpc.system.health.queryOptions());
  const earlier =
    typeof from === "string"
      ? await orNotFound(queryClient.fetchQuery(trpc.sweep.byId.queryOptions({ id: from })))
      : undefined;
  const fresh = readPoint(point);
  const start =
    (earlier?.plan && fresh ? withPoint(earlier.plan, fresh) : earlier?.plan) ??
    presets.find(({ id }) => id === preset)?.plan;
  return (
    <HydrationBoundary state={state()}>
      <SweepBuilder start={start} />
    </HydrationBoundary>
  );
}

function readPoint(text: string | string[] | undefined): Method | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return Method.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The same sweep with the one new point instead of its methods. */
function withPoint(plan: SweepPlan, point: Method): SweepPlan {
  const { grid: _, ...rest } = plan;
  return { ...rest, name: `${plan.name}, neighbour`.slice(0, 100), methods: [{ name: "Neighbour", ...point }] };
}
