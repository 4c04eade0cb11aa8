import type { CustomSpec } from "#trainer/spec/environments/custom.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { only, without, type Handling, type Remark } from "./handling.ts";

/** Files of a custom task inside the template's folder; other tasks have only `elsewhere` and `problems`. */
export type Task = {
  dataFolder?: string | undefined;
  /** Reward function: a function in a file, or a function that the trainer knows by name. */
  reward?: { file: string; name: string } | { file?: undefined; name: string } | undefined;
  agentLoop?: string | undefined;
  /** Folders of the tasks in other environments that the plan evaluates, each with a file test.parquet. */
  elsewhere?: readonly string[];
  problems: Remark[];
};

/** Finds a custom task's files inside the template's folder, because the administrator's machines execute them. */
export function taskOf({ environment }: RunSpec, taskFolder: string | undefined): Task {
  if (environment.id !== "custom") return { problems: [] };
  const { dataFolder, rewardFunction, agentLoop } = environment;
  const problems: Remark[] = [];
  const place = (path: string, field: string): string =>
    placeTaskPath(path, { taskFolder, at: `environment.${field}`, problems });
  const [, file, name] = /^(.+\.py):(\w+)$/.exec(rewardFunction ?? "") ?? [];
  if (rewardFunction !== undefined && name === undefined && !/^\w+$/.test(rewardFunction)) {
    const message = `${rewardFunction} must be FILE.py:FUNCTION or the name of one of the trainer's reward functions`;
    problems.push({ path: "environment.rewardFunction", message });
  }
  return {
    ...(dataFolder !== undefined && { dataFolder: place(dataFolder, "dataFolder") }),
    ...(rewardFunction !== undefined && {
      reward:
        file !== undefined && name !== undefined
          ? { file: place(file, "rewardFunction"), name }
          : { name: rewardFunction },
    }),
    ...(agentLoop !== undefined && { agentLoop }),
    problems,
  };
}

type Placing = { taskFolder: string | undefined; at: string; problems: Remark[] };

/** Resolves a path of a plan inside the folder that the template allows, or reports a problem. */
export function placeTaskPath(path: string, { taskFolder, at, problems }: Placing): string {
  const placed = taskFolder === undefined ? undefined : placeBelow(taskFolder, path);
  if (placed !== undefined) return placed;
  const why =
    taskFolder === undefined
      ? "the template has no taskFolder, the folder that tasks of plans may use"
      : `it is not below the template's taskFolder, ${taskFolder}`;
  problems.push({ path: at, message: `${path} is refused: ${why}` });
  return path;
}

/** Replaces the paths of the specification's custom task by those that the program sees. */
export function placeTask(spec: RunSpec, { dataFolder, reward }: Task): RunSpec {
  if (spec.environment.id !== "custom") return spec;
  const rewardFunction = reward?.file === undefined ? reward?.name : `${reward.file}:${reward.name}`;
  const placed = {
    ...(dataFolder !== undefined && { dataFolder }),
    ...(rewardFunction !== undefined && { rewardFunction }),
  };
  return { ...spec, environment: { ...spec.environment, ...placed } };
}

function placeBelow(folder: string, path: string): string | undefined {
  const root = folder.replace(/\/+$/, "");
  const whole = path.startsWith("/") ? path : `${root}/${path}`;
  const isPlain = whole.split("/").every((part, i) => part !== ".." && part !== "." && (part !== "" || i === 0));
  return isPlain && whole.startsWith(`${root}/`) ? whole : undefined;
}

type Parts = Omit<{ readonly [Name in keyof Required<CustomSpec>]: Handling }, "id" | "title" | "metrics">;

/** Returns how a trainer handles each setting of a custom task; the task's metric names are used only by the studio. */
export const taskHandlings = (parts: Parts) =>
  ({ id: "passed", title: "passed", metrics: "passed", ...parts }) satisfies Record<string, Handling>;

/** The trainer's own files or scripts define the tasks, so no setting of a custom task is passed. */
export const taskElsewhere = (because: string): Parts => ({
  dataFolder: only([undefined], because),
  rewardFunction: only([undefined], because),
  agentLoop: only([undefined], because),
  maxTurns: without(because),
});

/** Maps the metrics that a custom task may name to keys of the studio's metric catalogue. */
const metricNames = {
  success: "evaluation/successRate",
  score: "evaluation/score",
  trainingSuccess: "rollout/successRate",
  trainingScore: "rollout/score",
} as const satisfies Record<keyof NonNullable<CustomSpec["metrics"]>, string>;

/** Returns pairs of the trainer's and the studio's metric name, for the metrics that the run's own task names. */
export function namesOfTask({ environment }: Pick<RunSpec, "environment">): (readonly [string, string])[] {
  const { metrics = {} } = environment.id === "custom" ? environment : {};
  return (["success", "score", "trainingSuccess", "trainingScore"] as const).flatMap((part) => {
    const own = metrics[part];
    return own === undefined ? [] : [[own, metricNames[part]] as const];
  });
}
