import { z } from "zod";
import { metricKeys } from "#trainer/spec/metric.ts";
import { Sampler, Search } from "#server/domain/search/decide.ts";
import { HalvingPlan, makeLadder, RacingPlan, type Ladder } from "#server/domain/search/ladder.ts";
import { Parameter, Space } from "#server/domain/search/space.ts";

/**
 * Settings that a sweep searches for while it runs. Each configuration of the plan without its search is an arm, and
 * each arm is searched by itself: a trial of one method says nothing of another.
 */
export const SearchPlan = z
  .strictObject({
    sampler: Sampler.prefault({ kind: "tpe" }).describe("How the next trial's settings are drawn."),
    space: z
      .record(z.string(), Parameter)
      .overwrite(orderParameters)
      .pipe(Space)
      .describe("Dotted path of a setting → what may be drawn for it; `when` names parameters that it depends on."),
    objective: z
      .strictObject({
        metric: z.enum(metricKeys).describe("A logged metric; a run counts with its mean over the last fifth."),
        goal: z.enum(["maximize", "minimize"]),
      })
      .describe("What a trial is judged by: the mean over its seeds."),
    trials: z.int().min(1).max(5000).describe("Trials of each arm, each run with every seed."),
    parallel: z.int().min(1).max(1000).default(4).describe("Trials of each arm that run at a time."),
    halving: HalvingPlan.optional().describe("Trials earn more iterations or seeds by being among the best so far."),
    racing: RacingPlan.optional().describe("Trials run seed by seed; who is surely worse than the best gets no other."),
  })
  .superRefine(({ sampler, space, trials, parallel, halving, racing }, context) => {
    if (halving !== undefined && racing !== undefined) {
      context.addIssue({ code: "custom", path: ["racing"], message: "cannot stand beside halving" });
    }
    for (const { path, message } of Search.safeParse({ sampler, space }).error?.issues ?? []) {
      context.addIssue({ code: "custom", path, message });
    }
    if (parallel > trials) {
      const message = `is ${parallel}, at most the ${trials} of trials`;
      context.addIssue({ code: "custom", path: ["parallel"], message, input: parallel });
    }
  });
export type SearchPlan = z.infer<typeof SearchPlan>;

/** What the trials of an arm climb; undefined where each is trained whole. */
export function ladderOf(search: SearchPlan, size: { numSeeds: number; numIterations: number }): Ladder | undefined {
  return makeLadder(search, { ...search, ...size });
}

/** With how many of the plan's seeds a trial begins. */
export function countFirstSeeds({ halving, racing }: SearchPlan, numSeeds: number): number {
  if (racing !== undefined) return racing.leastSeeds;
  return halving?.of === "seeds" ? halving.least : numSeeds;
}

/**
 * By name, each after those that it depends on: a stored plan keeps no order of keys, and what is drawn for a parameter
 * depends on its place. Parameters that depend on each other or on none that there is come last, for `Space` to refuse.
 */
function orderParameters(space: Record<string, Parameter>): Record<string, Parameter> {
  const waiting = new Map(Object.entries(space).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const ordered: Record<string, Parameter> = {};
  for (;;) {
    const next = [...waiting].find(([, { when = {} }]) => Object.keys(when).every((name) => name in ordered));
    if (next === undefined) return { ...ordered, ...Object.fromEntries(waiting) };
    ordered[next[0]] = next[1];
    waiting.delete(next[0]);
  }
}
