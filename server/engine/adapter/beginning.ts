import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type ExternalJob, readArguments } from "#packages/trainers";
import { type Checkpoint, listCheckpoints, readOverride, readVerlStep } from "#server/engine/trainers/checkpoints.ts";
import { findNewest } from "./trlCheckpoint.ts";

type Attempt = {
  /** `folder`: folder of this attempt. `resumeFrom`: folder of the run's previous attempt, if there was one. */
  folder: string;
  resumeFrom: string | undefined;
  environment: NodeJS.ProcessEnv;
};

type Begun = { job: ExternalJob; notes: string[]; problem?: undefined } | { problem: string };
type Beginning = NonNullable<ExternalJob["begins"]>;

/** Links the checkpoint from which a run begins; files that would restore a changed setting are edited copies. */
export async function beginJob(job: ExternalJob, attempt: Attempt): Promise<Begun> {
  const { begins } = job;
  if (!begins) return { job, notes: [] };
  const own = begins.kind === "branch" ? await goOn(job, begins, attempt) : undefined;
  if (own) return { job: own, notes: [] };
  const { run, iteration: step } = begins;
  const runFolder = join(dirname(dirname(attempt.folder)), run);
  const numbers = (await readdir(runFolder).catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await listCheckpoints(numbers.sort((a, b) => a - b).map((number) => join(runFolder, String(number))));
  const found = all.find((one) => one.step === step);
  if (!found) return { problem: noCheckpoint(begins, all, runFolder) };
  const releases = [found.job.release, job.release];
  if (!releases.includes(undefined) && releases[0] !== releases[1]) {
    const problem = `trainer.name: ${run} was trained by release ${releases[0]}, and the template's is ${releases[1]}; a checkpoint fits its own release: write version: ${releases[0]} and its python in the template`;
    return { problem };
  }
  return begins.kind === "start"
    ? await linkModel(job, begins, found)
    : await linkState({ job, begins, found }, attempt);
}

function noCheckpoint({ run, iteration }: Beginning, all: readonly Checkpoint[], runFolder: string): string {
  const steps = [...new Set(all.map(({ step }) => step))].toSorted((a, b) => a - b);
  const what = `initialisation.iteration: ${run} has no checkpoint of step ${iteration} in ${runFolder}`;
  return steps.length > 0
    ? `${what}; begin after ${steps.join(", ")}`
    : `${what}; begin on the machine that has its checkpoints (placement.labels), after a step that execution.checkpointEvery keeps`;
}

/** Returns the job of a branch that resumes its own previous attempt; undefined if that attempt saved no checkpoint. */
async function goOn(job: ExternalJob, begins: Beginning, { folder, resumeFrom }: Attempt) {
  if (resumeFrom === undefined) return undefined;
  const saved = await readVerlStep(job);
  if (saved !== undefined) {
    if (saved <= begins.iteration) return undefined;
    const kept = job.argv.filter((one) => !/^\+*trainer\.resume_(?:mode|from_path)=/.test(one));
    return { ...job, argv: [...kept, "trainer.resume_mode=auto"] };
  }
  const output = resolve(job.folder, readArguments(job.argv).get("output_dir") ?? ".");
  const before = join(resumeFrom, relative(folder, output));
  const newest = await findNewest(before);
  if (!newest || newest.step <= begins.iteration) return undefined;
  const path = join(before, `checkpoint-${newest.step}`);
  return { ...job, argv: job.argv.map((one) => (one === begins.path ? path : one)) };
}

async function linkModel(
  job: ExternalJob,
  { run, iteration, path }: Beginning,
  { folder }: Checkpoint,
): Promise<Begun> {
  const isVerl = existsSync(join(folder, "actor"));
  const model = isVerl ? join(folder, "actor/huggingface") : folder;
  const files = await readdir(model).catch(() => []);
  if (!files.some((name) => /\.(?:safetensors|bin)$/.test(name) && !/^(?:training_args|optimizer)/.test(name))) {
    const merge = `python3 -m verl.model_merger merge --backend fsdp --local_dir ${join(folder, "actor")} --target_dir ${model}`;
    const remedy = isVerl ? `run ${merge}, and retry` : "begin after another step";
    return {
      problem: `initialisation.iteration: step ${iteration} of ${run} has no model's weights in ${model}; ${remedy}`,
    };
  }
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  await symlink(model, path);
  return { job, notes: [`the policy is that of ${run} after ${iteration}: ${model}`] };
}

/** Maps PyTorch's names of the optimizer settings stored in a checkpoint to the plan's names. */
const fields = {
  lr: "optimizer.learningRate",
  weight_decay: "optimizer.weightDecay",
  beta1: "optimizer.beta1",
  beta2: "optimizer.beta2",
  eps: "optimizer.epsilon",
} as const;
type Values = Partial<Record<keyof typeof fields, number>>;

/** Part of a checkpoint: an optimizer's folder and files. `read` finds the optimizer's settings in a command line. */
type Part = {
  folder: string;
  files: RegExp;
  read: (argv: readonly string[], name: keyof Values) => string | undefined;
};

const trlNames = {
  lr: "learning_rate",
  weight_decay: "weight_decay",
  beta1: "adam_beta1",
  beta2: "adam_beta2",
  eps: "adam_epsilon",
};
const trl: Part = {
  folder: ".",
  files: /^(?:optimizer|scheduler)\.pt$/,
  read: (argv, name) => readArguments(argv).get(trlNames[name]),
};

function verlPart(folder: string, settings: string): Part {
  const read: Part["read"] = (argv, name) => {
    const setting = (key: string) => readOverride(argv, `${settings}.optim.${key}`);
    if (name === "lr" || name === "weight_decay") return setting(name);
    if (name === "eps") return /\beps:([^,}]+)/.exec(setting("override_optimizer_config") ?? "")?.[1] ?? "1e-8";
    return /^\[([^,]+),([^,]+)\]$/.exec(setting("betas") ?? "")?.[name === "beta1" ? 1 : 2];
  };
  return { folder, files: /^(?:optim|extra_state)_world_size_\d+_rank_\d+\.pt$/, read };
}
const verl = [verlPart("actor", "actor_rollout_ref.actor"), verlPart("critic", "critic")];

type State = { job: ExternalJob; begins: Beginning; found: Checkpoint };
type Rewritten = { source: string; target: string; values: Values };

async function linkState({ job, begins, found }: State, { environment }: Attempt): Promise<Begun> {
  const { run, path, continuation = 0, python } = begins;
  const names = await readdir(found.folder);
  const isVerl = names.includes("actor");
  const parts = isVerl ? verl.filter(({ folder }) => names.includes(folder)) : [trl];
  const changes = parts.map((part) => ({ part, values: changesOf(part, found.job.argv, job.argv) }));
  const rewritten: Rewritten[] = [];
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  for (const { part, values } of changes) {
    const changed = Object.entries(fields).flatMap(([name, field]) => (name in values ? [field] : []));
    if (changed.length === 0) continue;
    const files = (await readdir(join(found.folder, part.folder))).filter((name) => part.files.test(name));
    if (!files.some((name) => name.startsWith("optim"))) {
      const where = join(found.folder, part.folder);
      const problem = `${changed.join(", ")}: the trainer restores the value of ${run} with its optimizer, and ${where} has none that the studio can change; keep the value, or begin with the policy alone (initialisation.kind: run)`;
      return { problem };
    }
    const into = (name: string) => join(path, part.folder, name);
    rewritten.push(
      ...files.map((name) => ({ source: join(found.folder, part.folder, name), target: into(name), values })),
    );
  }
  const isLeft = (name: string) => continuation > 0 && /^(?:data\.pt|rng_state.*\.pth)$/.test(name);
  await linkAll({ from: found.folder, to: path }, { isLeft, skipped: rewritten.map(({ target }) => target) });
  if (!isVerl) await writeIntervals(job, found.folder, path);
  const failure = rewritten.length > 0 ? await rewrite({ python, environment, cwd: job.folder }, rewritten) : undefined;
  if (failure !== undefined) return { problem: `the optimizer's state of ${run} could not be changed: ${failure}` };
  return { job, notes: describe(begins, found, changes) };
}

function describe(
  { run, iteration }: Beginning,
  { folder }: Checkpoint,
  changes: readonly { part: Part; values: Values }[],
): string[] {
  const texts = changes.flatMap(({ part, values }) =>
    Object.entries(values).map(([name, value]) => `${part.folder === "." ? "" : `${part.folder}'s `}${name} ${value}`),
  );
  return [
    `continues ${run} after ${iteration}: ${folder}`,
    ...(texts.length > 0
      ? [`the trainer would restore these of the optimizer, so a copy of its state has the plan's: ${texts.join(", ")}`]
      : []),
  ];
}

/** Returns the optimizer settings that differ between the commands of the origin (`before`) and the branch (`now`). */
function changesOf({ read }: Part, before: readonly string[], now: readonly string[]): Values {
  const names: readonly (keyof Values)[] = ["lr", "weight_decay", "beta1", "beta2", "eps"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const [old, value] = [read(before, name), read(now, name)].map((text) => Number(text ?? NaN));
      return value === undefined || Number.isNaN(value) || value === old ? [] : [[name, value] as const];
    }),
  );
}

type Chosen = { isLeft: (name: string) => boolean; skipped: readonly string[] };

/** Creates links in the folder `to` to all files of the folder `from`, except for files that are edited or left out. */
async function linkAll({ from, to }: { from: string; to: string }, chosen: Chosen): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    const target = join(to, name);
    if (chosen.isLeft(name) || chosen.skipped.includes(target)) continue;
    if (chosen.skipped.some((other) => other.startsWith(`${target}/`))) {
      await linkAll({ from: join(from, name), to: target }, chosen);
    } else await symlink(join(from, name), target);
  }
}

/**
 * Writes the plan's intervals (logging, evaluation, saving) into the checkpoint: Transformers reads them only there.
 */
async function writeIntervals({ argv }: ExternalJob, from: string, to: string): Promise<void> {
  const options = readArguments(argv);
  let text = await readFile(join(from, "trainer_state.json"), "utf8");
  for (const name of ["logging_steps", "eval_steps", "save_steps"]) {
    const value = Number(options.get(name) ?? NaN);
    if (value >= 1) text = text.replace(new RegExp(`^( {2}"${name}": )[^,\n]+`, "m"), `$1${value}`);
  }
  await rm(join(to, "trainer_state.json"));
  await writeFile(join(to, "trainer_state.json"), text);
}

type Site = { python: readonly string[]; environment: NodeJS.ProcessEnv; cwd: string };

/** Writes copies of the optimizer and scheduler states with changed settings. Returns the reason of a failure. */
async function rewrite({ python, environment, cwd }: Site, files: readonly Rewritten[]): Promise<string | undefined> {
  const [program = "python3", ...words] = python;
  return await new Promise((done) => {
    const child = execFile(program, [...words, "-c", rewriteText], { env: environment, cwd }, (error, _, stderr) => {
      done(error ? stderr.trim().split("\n").at(-1) || error.message : undefined);
    });
    // If the Python process exits before it reads its input, its exit code reports the problem.
    child.stdin?.on("error", () => undefined).end(JSON.stringify(files));
  });
}

const rewriteText = `
import json, sys
import torch

def scaled(rate, base, new):
    # A schedule multiplies its base.
    return rate * (new / float(base)) if float(base) else new

for file in json.load(sys.stdin):
    state = torch.load(file["source"], map_location="cpu", weights_only=False, mmap=True)
    new = file["values"]
    for i, group in enumerate(state.get("param_groups", [])):
        if "lr" in new:
            group["lr"] = scaled(group["lr"], group.get("initial_lr", group["lr"]), new["lr"])
            if "initial_lr" in group:
                group["initial_lr"] = new["lr"]
        # Biases and norms are a later group, without decay.
        if "weight_decay" in new and (i == 0 or group["weight_decay"]):
            group["weight_decay"] = new["weight_decay"]
        if "betas" in group:
            group["betas"] = (new.get("beta1", group["betas"][0]), new.get("beta2", group["betas"][1]))
        if "eps" in new:
            group["eps"] = new["eps"]
    schedule = state if "base_lrs" in state else state.get("lr_scheduler")
    if schedule and "lr" in new:
        pairs = zip(schedule["_last_lr"], schedule["base_lrs"])
        schedule["_last_lr"] = [scaled(rate, base, new["lr"]) for rate, base in pairs]
        schedule["base_lrs"] = [new["lr"]] * len(schedule["base_lrs"])
    if "param_groups" not in state and schedule is None and file["source"].rsplit("/", 1)[-1].startswith("optim"):
        raise SystemExit("no groups of parameters in " + file["source"])
    torch.save(state, file["target"])
`;
