import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import type { z } from "zod";
import { canPlan, PlannedCell, planNext } from "#server/domain/analysis/phases/nextCells.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { Method } from "#trainer/spec/methodSchema.ts";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { toFile } from "./_builder/draft/check.ts";
import { SweepBuilder } from "./_builder/SweepBuilder.tsx";

export const metadata: Metadata = { title: "New sweep" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** `?from=` names a sweep, `?preset=` a preset. With `from`, `&point=` sets the only method, `&cell=` the only cell. */
export default async function NewSweepPage({ searchParams }: Props) {
  const { from, preset, point, cell } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/sweeps/new");
  const presets = await queryClient.fetchQuery(trpc.sweep.presets.queryOptions());
  await Promise.all([
    queryClient.prefetchQuery(trpc.system.health.queryOptions()),
    queryClient.prefetchQuery(trpc.cost.basis.queryOptions()),
  ]);
  const earlier =
    typeof from === "string"
      ? await orNotFound(queryClient.fetchQuery(trpc.sweep.byId.queryOptions({ id: from })))
      : undefined;
  const start =
    (earlier?.plan && startFrom(earlier.plan, { point, cell })) ?? presets.find(({ id }) => id === preset)?.plan;
  return (
    <HydrationBoundary state={state()}>
      <SweepBuilder start={start && toFile(start)} />
    </HydrationBoundary>
  );
}

type Given = string | string[] | undefined;

function startFrom(plan: SweepPlan, { point, cell }: { point: Given; cell: Given }): SweepPlan {
  const fresh = readJson(Method, point);
  if (fresh) return withPoint(plan, fresh);
  const next = readJson(PlannedCell, cell);
  return next && canPlan(plan, next.settings) ? planNext(plan, next) : plan;
}

function readJson<Value>(schema: z.ZodType<Value>, text: Given): Value | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function withPoint(plan: SweepPlan, point: Method): SweepPlan {
  const { grid: _, ...rest } = plan;
  return { ...rest, name: `${plan.name}, neighbour`.slice(0, 100), methods: [{ name: "Neighbour", ...point }] };
}
