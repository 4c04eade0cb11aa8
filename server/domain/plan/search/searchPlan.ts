import { z } from "zod";
import { countPoints, Sampler, Search } from "./decide.ts";
import { HalvingPlan, type Schedule, makeSchedule, RacingPlan } from "./schedule.ts";
import { type Aims, Constraint, Objective } from "./objective.ts";
import { formatCount } from "#packages/base";
import { checkPoint, orderParameters, Parameter, type Point, Space } from "./space.ts";
import type { Outcome } from "./trial.ts";

/**
 * Every configuration of the plan without its search is searched separately, because a trial of one method is no
 * evidence about another.
 */
export const SearchPlan = z
  .strictObject({
    sampler: Sampler.prefault({ kind: "tpe" }).describe("Algorithm that samples the next trial's settings."),
    space: z
      .record(z.string(), Parameter)
      .overwrite(orderParameters)
      .pipe(Space)
      .describe(
        "Dotted path of a setting → range or choices to sample from; `when` names parameters that it depends on.",
      ),
    objective: z
      .union([Objective, z.array(Objective).min(2).max(3)])
      .describe(
        "Metrics by which trials are compared, as means over their seeds. With several metrics, the search looks for the Pareto front.",
      ),
    constraints: z
      .array(Constraint)
      .max(4)
      .optional()
      .describe("Bounds on metrics. A trial that violates a bound ranks below all trials that satisfy all bounds."),
    defaultsFirst: z
      .boolean()
      .optional()
      .describe("Makes the configuration's own settings the first trial. These settings must lie in the search space."),
    known: z
      .array(
        z.strictObject({
          point: z.record(z.string(), z.union([z.number(), z.string().max(60), z.boolean(), z.null()])),
          values: z
            .union([z.number(), z.array(z.number()).min(2).max(3)])
            .describe("Value that this trial reached in each objective."),
        }),
      )
      .max(5000)
      .optional()
      .describe(
        "Trials of an earlier study (with another seed, program or budget) that the search knows from its start.",
      ),
    trials: z
      .int()
      .min(1)
      .max(5000)
      .describe(
        "Number of trials (sampled hyperparameter configurations) for each method and environment of the plan.",
      ),
    parallel: z.int().min(1).max(1000).default(4).meta({
      title: "Parallel trials",
      description: "Maximum number of trials that run at the same time, for each method and environment.",
    }),
    halving: HalvingPlan.optional().describe(
      "Rungs at which trials are compared: only the best trials so far get more iterations or seeds.",
    ),
    racing: RacingPlan.optional().describe(
      "Trials run seed by seed. A trial that is significantly worse than the best trial gets no further seed.",
    ),
    until: z
      .strictObject({
        spread: z.number().positive().meta({
          title: "Converged at (sd)",
          description:
            "Maximum standard deviation of a converged trial: that of the objective over the last fifth of each run's iterations, averaged over seeds. Once a trial has converged, no further trials are sampled; started trials are finished.",
        }),
      })
      .optional()
      .describe(
        "Convergence criterion: a method and environment get no further trial once one of their fully trained trials has converged.",
      ),
    budget: z
      .strictObject({
        runs: z
          .int()
          .min(1)
          .meta({ title: "Max runs", description: "Number of runs after which no further trials are sampled." })
          .optional(),
        iterations: z
          .int()
          .min(1)
          .meta({
            title: "Max iterations",
            description: "Total number of iterations after which no further trials are sampled.",
          })
          .optional(),
        hours: z
          .number()
          .positive()
          .meta({
            title: "Max slot-hours",
            description:
              "Number of slot-hours after which no further trials are sampled. One hour on two slots counts as two slot-hours.",
          })
          .optional(),
      })
      .optional()
      .describe(
        "Limits of the search. Once one limit is reached, no further trials are sampled; started trials are finished.",
      ),
  })
  .superRefine((search, context) => {
    const { sampler, space, trials, parallel, defaultsFirst = false } = search;
    const add = (path: PropertyKey[], message: string) => context.addIssue({ code: "custom", path, message });
    checkAims(search, add);
    checkKnown(search, add);
    if (sampler.kind === "external" && !defaultsFirst) {
      add(["defaultsFirst"], "must be true with an external sampler, because the sweep has to start with a trial");
    }
    const most = countPoints(search) + (defaultsFirst ? 1 : 0);
    const own = defaultsFirst ? " with the configuration's own settings" : "";
    if (trials > most) add(["trials"], `is ${trials}, but the grid has only ${most} points${own}`);
    if (search.halving !== undefined && search.racing !== undefined) {
      add(["racing"], "cannot be combined with halving: remove one of them");
    }
    for (const { path, message } of Search.safeParse({ sampler, space }).error?.issues ?? []) add(path, message);
    if (parallel > trials) add(["parallel"], `is ${parallel}, must be at most ${trials}, the number of trials`);
  });
export type SearchPlan = z.infer<typeof SearchPlan>;

type Known = {
  space: Space;
  objective: Objective | Objective[];
  known?: { point: Point; values: number | number[] }[] | undefined;
};

type Add = (path: (string | number)[], message: string) => void;

function checkKnown({ space, objective, known = [] }: Known, add: Add): void {
  const numObjectives = [objective].flat().length;
  for (const [i, { point, values }] of known.entries()) {
    for (const { path, message } of checkPoint(space, point)) add(["known", i, "point", path], message);
    const numValues = [values].flat().length;
    if (numValues === numObjectives) continue;
    const message = `has ${formatCount(numValues, "value")} for ${formatCount(numObjectives, "objective")}`;
    add(["known", i, "values"], message);
  }
}

type Aimed = {
  objective: Objective | Objective[];
  constraints?: unknown;
  halving?: unknown;
  racing?: unknown;
  until?: unknown;
};

function checkAims({ objective, constraints, halving, racing, until }: Aimed, add: Add): void {
  const objectives = [objective].flat();
  const metrics = objectives.map(({ metric }) => metric);
  if (new Set(metrics).size < metrics.length) add(["objective"], "names the same metric twice");
  if (objectives.some(({ metric, goal }) => metric === "collapsed" && goal === "maximize")) {
    add(["objective"], "would favour collapsed trials: set goal: minimize for collapsed");
  }
  if (metrics.every((metric) => metric === "collapsed"))
    add(["objective"], "needs a logged metric in addition to collapsed");
  const rule = halving ? "halving" : racing ? "racing" : undefined;
  if (rule !== undefined && objectives.length > 1) add([rule], "needs a single objective, but there are several");
  if (rule !== undefined && constraints !== undefined) add([rule], "does not support constraints: remove them");
  if (until !== undefined && objectives.length > 1) add(["until"], "needs a single objective, but there are several");
}

export function aimsOf({ objective, constraints = [] }: Pick<SearchPlan, "objective" | "constraints">): Aims {
  return { objectives: [objective].flat(), constraints };
}

export function firstObjective({ objective }: Pick<SearchPlan, "objective">): Objective {
  const [first] = [objective].flat();
  if (first === undefined) throw new Error("a search has an objective");
  return first;
}

export function scheduleOf(
  search: SearchPlan,
  size: { numSeeds: number; numIterations: number },
): Schedule | undefined {
  return makeSchedule(search, { ...search, ...size });
}

/** Returns the number of seeds with which a trial starts; promotions may add seeds. */
export function countFirstSeeds({ halving, racing }: SearchPlan, numSeeds: number): number {
  if (racing !== undefined) return racing.leastSeeds;
  return halving?.of === "seeds" ? halving.least : numSeeds;
}

/** Returns the reason why a configuration needs no further trial after its finished trials; undefined if it needs more. */
export function endsSearch(
  { until }: Pick<SearchPlan, "until">,
  trials: readonly { number: number; outcome?: Outcome | null }[],
): string | undefined {
  if (until === undefined) return undefined;
  for (const { number, outcome } of trials) {
    if (outcome?.kind !== "measured" || outcome.spread === undefined || outcome.spread > until.spread) continue;
    const spread = Number(outcome.spread.toPrecision(3));
    return `trial ${number} varies by ${spread} over its last fifth, at most ${until.spread} is asked`;
  }
  return undefined;
}

export type SearchUse = { runs: number; iterations: number; hours: number };

type CostOfTrial = { runs: number; iterations: number; slotMs: number };

export function sumUse(costs: readonly CostOfTrial[]): SearchUse {
  const sum = (of: (cost: CostOfTrial) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return {
    runs: sum(({ runs }) => runs),
    iterations: sum(({ iterations }) => iterations),
    hours: sum(({ slotMs }) => slotMs) / 3_600_000,
  };
}

export function describeSpent({ budget }: Pick<SearchPlan, "budget">, used: SearchUse): string | undefined {
  const { runs = Infinity, iterations = Infinity, hours = Infinity } = budget ?? {};
  if (used.runs >= runs) return `the budget of ${formatCount(runs, "run")} is spent: ${used.runs} were begun`;
  if (used.iterations >= iterations) {
    return `the budget of ${formatCount(iterations, "iteration")} is spent: ${used.iterations} were trained`;
  }
  if (used.hours < hours) return undefined;
  return `the budget of ${formatCount(hours, "slot-hour")} is spent: ${Number(used.hours.toPrecision(3))} were used`;
}
