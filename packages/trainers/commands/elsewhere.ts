import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { maxTurnsOf } from "#trainer/spec/environmentParts.ts";
import type { CustomSpec } from "#trainer/spec/environments/custom.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Remark, Remarks } from "./handling.ts";
import { placeTaskPath } from "./task.ts";
import type { TrainerTemplate } from "./template.ts";

type Tasks = Remarks & { folders: string[] };

/**
 * Returns an external trainer's evaluations in environments other than the run's own. Each is a custom task whose
 * files the command adds to those of the run's own evaluation, or a data set that the trainer evaluates in any case.
 * The metrics of such a data set are named by the plan. `folders`: folders of the added files.
 */
export function tasksElsewhere(template: TrainerTemplate, spec: RunSpec, taskFolder: string | undefined): Tasks {
  const validation = validationOf(template, spec);
  const tasks: Tasks = { folders: [], notes: [], problems: [] };
  const taken = new Set(metricsOf(spec.environment.id === "custom" ? spec.environment : undefined));
  for (const [i, one] of elsewhereOf(spec).entries()) {
    const at = `evaluation.elsewhere[${i}]`;
    const { environment } = one;
    if (environment.id !== "custom") {
      const message = `${environment.id} is refused: ${validation.because}; name a data set as { id: custom, title: …${validation.takesFiles ? ", dataFolder: …" : ""}, metrics: { success: … } }, or start a run there from this one's policy (initialisation.kind: run), which evaluates it before its first step`;
      tasks.problems.push({ path: `${at}.environment.id`, message });
      continue;
    }
    tasks.problems.push(...differences(environment, spec, `${at}.environment`));
    tasks.notes.push(...notesOf(one, spec, at));
    if (isOwnTask(environment, spec)) continue;
    tasks.problems.push(...judgeMetrics(environment, { at: `${at}.environment.metrics`, taken, validation }));
    if (environment.dataFolder === undefined) continue;
    const path = `${at}.environment.dataFolder`;
    if (!validation.takesFiles) {
      const message = `${environment.dataFolder} is refused: ${validation.because}; leave dataFolder out where it evaluates in this data set by itself`;
      tasks.problems.push({ path, message });
      continue;
    }
    const folder = placeTaskPath(environment.dataFolder, { taskFolder, at: path, problems: tasks.problems });
    if (!tasks.folders.includes(folder)) tasks.folders.push(folder);
    tasks.problems.push(...judgeCounts(one, { spec, template, at }));
  }
  return tasks;
}

/** Returns pairs of the trainer's and the studio's metric name, for evaluations elsewhere. */
export function namesElsewhere(spec: RunSpec): (readonly [string, string])[] {
  return elsewhereOf(spec).flatMap(({ name, environment }) => {
    if (environment.id !== "custom" || isOwnTask(environment, spec)) return [];
    const { success, score } = environment.metrics ?? {};
    return [
      ...(success === undefined ? [] : [[success, `evaluation/elsewhere/${name}/successRate`] as const]),
      ...(score === undefined ? [] : [[score, `evaluation/elsewhere/${name}/score`] as const]),
    ];
  });
}

/** True for the run's own task, which the run's usual evaluation measures. */
function isOwnTask({ title }: CustomSpec, { environment }: RunSpec): boolean {
  return environment.id === "custom" && environment.title === title;
}

type Validation = {
  /** True if the command can name several files with held-out tasks. */
  takesFiles: boolean;
  because: string;
  /** Example of the name under which the trainer logs the success rate of a data set. */
  example: string;
};

function validationOf(template: TrainerTemplate, { environment, evaluation }: RunSpec): Validation {
  const samples = evaluation.samplesPerTask ?? 1;
  switch (template.kind) {
    case "verl": {
      const { flavour, recipe } = template;
      if (flavour === "verl") {
        const example = `val-core/SOURCE/acc/mean@${samples} (reward instead of acc if the reward function returns a dictionary without acc)`;
        return { takesFiles: true, because: "verl evaluates in data sets, not in environments of the studio", example };
      }
      const isMath = recipe === undefined && (environment.id === "custom" || environment.id === "tirMath");
      if (flavour === "arlarena" && isMath) {
        const because = "ARLArena's mathematics evaluates in data sets, not in environments of the studio";
        return { takesFiles: true, because, example: "val/test_score/SOURCE" };
      }
      const because = "the recipe's validation files only count tasks of the environment that it trains in";
      return { takesFiles: false, because, example: "val/SOURCE_success_rate" };
    }
    case "trl": {
      const because =
        "TRL logs all its evaluation sets as one eval_reward, and a script names the sets; a reward function that returns None for other sets has a mean of its own";
      return { takesFiles: false, because, example: "eval_rewards/FUNCTION/mean" };
    }
    case "areal":
      return {
        takesFiles: false,
        because: "the configuration file names AReaL's one evaluation set",
        example: "its name",
      };
    case "primeRl":
      return {
        takesFiles: false,
        because: "the configuration file names prime-rl's evaluations",
        example: "eval/ENV/avg@1",
      };
    case "command":
      return { takesFiles: false, because: "the program's arguments name its data", example: "its name in the log" };
  }
}

function metricsOf(task: CustomSpec | undefined): string[] {
  const { success, score } = task?.metrics ?? {};
  return [success, score].filter((one) => one !== undefined);
}

type Judging = { at: string; taken: Set<string>; validation: Validation };

/** Checks that every task names its metrics, and that no two tasks name the same metric. */
function judgeMetrics(task: CustomSpec, { at, taken, validation }: Judging): Remark[] {
  const names = metricsOf(task);
  if (names.length === 0) {
    return [
      {
        path: at,
        message: `is missing: set success to the trainer's name of the success rate in this data set, such as ${validation.example}`,
      },
    ];
  }
  return names.flatMap((name) => {
    const isTaken = taken.has(name);
    taken.add(name);
    return isTaken ? [{ path: at, message: `${name} is refused: another task of the plan names it` }] : [];
  });
}

/** If the trainer has one value for all data, reports settings that differ from those of the run's own task. */
function differences(task: CustomSpec, spec: RunSpec, at: string): Remark[] {
  const own = spec.environment.id === "custom" ? spec.environment : undefined;
  const { rewardFunction, agentLoop, maxTurns } = task;
  const turns = maxTurnsOf(spec.environment);
  const once = "the trainer has one for all data, that of the run's own environment";
  return [
    ...(rewardFunction === undefined || rewardFunction === own?.rewardFunction
      ? []
      : [
          {
            path: `${at}.rewardFunction`,
            message: `${rewardFunction} is refused: ${once}; the function receives the data source`,
          },
        ]),
    ...(agentLoop === undefined || agentLoop === own?.agentLoop
      ? []
      : [{ path: `${at}.agentLoop`, message: `${agentLoop} is refused: ${once}` }]),
    ...(maxTurns === 1 || maxTurns === turns
      ? []
      : [{ path: `${at}.maxTurns`, message: `${maxTurns} is refused: ${once}; write ${turns}` }]),
  ];
}

type Entry = ReturnType<typeof elsewhereOf>[number];

function notesOf({ every }: Entry, { evaluation }: RunSpec, at: string): Remark[] {
  if (every === undefined || every === evaluation.every) return [];
  const message = `${every} is not passed: all data are evaluated together, every ${evaluation.every} iterations`;
  return [{ path: `${at}.every`, message }];
}

type Counted = { spec: RunSpec; template: TrainerTemplate; at: string };

/**
 * Reports wrong numbers of episodes for an evaluation in another environment. verl always evaluates all tasks of a
 * file. ARLArena's mathematics trainer evaluates the same number of tasks from every file.
 */
function judgeCounts({ numEpisodes }: Entry, { spec, template, at }: Counted): Remark[] {
  const { numEpisodes: own } = spec.evaluation;
  if (numEpisodes === undefined || (template.kind === "verl" && template.flavour === "arlarena" && numEpisodes === own))
    return [];
  const instead =
    template.kind === "verl" && template.flavour === "arlarena"
      ? `its sample size is that of every file, ${own}`
      : "every task of test.parquet is evaluated; leave it out";
  return [{ path: `${at}.numEpisodes`, message: `${numEpisodes} is refused: ${instead}` }];
}
