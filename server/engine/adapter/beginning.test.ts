import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExternalJob } from "#packages/trainers";
import { RunEvent } from "#trainer/spec/event.ts";
import { beginJob } from "./beginning.ts";
import { runExternal } from "./runExternal.ts";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-beginning-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const folder = () => join(home, "runs/branch/1");
const write = async (path: string, text = "") => {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
};
const jobOf = (argv: readonly string[], more: Partial<ExternalJob> = {}): ExternalJob => ({
  name: "x",
  argv: [process.execPath, ...argv],
  environment: {},
  folder: home,
  metrics: { kind: "jsonLines" },
  notes: [],
  ...more,
});
const begins = (name: string, more: Partial<NonNullable<ExternalJob["begins"]>> = {}) => ({
  kind: "branch" as const,
  run: "first",
  iteration: 6,
  continuation: 0,
  path: join(folder(), "origin", name),
  python: [process.execPath, "-e", "process.exit(1)"],
  ...more,
});
const begin = (job: ExternalJob, resumeFrom?: string) =>
  beginJob(job, { folder: folder(), resumeFrom, environment: process.env });
const verlArgv = (run: string, lr: string) => [
  `trainer.default_local_dir=${join(home, "runs", run, "checkpoints")}`,
  `actor_rollout_ref.actor.optim.lr=${lr}`,
  "trainer.resume_mode=resume_path",
  `trainer.resume_from_path=${join(folder(), "origin/global_step_6")}`,
];
const verlOrigin = async (release = "0.9.1") => {
  await write("runs/first/1/external.json", JSON.stringify(jobOf(verlArgv("first", "1e-6"), { release })));
  for (const step of [4, 6]) {
    for (const file of ["actor/optim_world_size_1_rank_0.pt", "actor/huggingface/config.json", "data.pt"]) {
      await write(`runs/first/checkpoints/global_step_${step}/${file}`);
    }
  }
  // Folder of a checkpoint whose other files verl has deleted.
  await write("runs/first/checkpoints/global_step_2/data.pt");
};
const branch = (lr: string, more: Partial<NonNullable<ExternalJob["begins"]>> = {}, release = "0.9.1") =>
  jobOf(verlArgv("branch", lr), { release, begins: begins("global_step_6", more) });

describe("a branch of verl", () => {
  it("gets a folder of links, with the order of the data in continuation 0 alone", async () => {
    await verlOrigin();
    const { job, notes } = { job: undefined, notes: [], ...(await begin(branch("1e-6"))) };
    expect(job?.argv).toEqual(branch("1e-6").argv);
    expect(notes).toEqual([`continues first after 6: ${join(home, "runs/first/checkpoints/global_step_6")}`]);
    const made = join(folder(), "origin/global_step_6");
    expect(readdirSync(made).toSorted()).toEqual(["actor", "data.pt"]);
    expect(readlinkSync(join(made, "actor"))).toBe(join(home, "runs/first/checkpoints/global_step_6/actor"));
    await begin(branch("1e-6", { continuation: 1 }));
    expect(readdirSync(made)).toEqual(["actor"]);
  });

  it("is refused without a checkpoint, with another release, and where the optimizer's state cannot be changed", async () => {
    expect(await begin(branch("1e-6"))).toEqual({ problem: expect.stringContaining("placement.labels") });
    await verlOrigin();
    const problemOf = async (job: ExternalJob) => (await begin(job)).problem;
    expect(await problemOf(branch("1e-6", { iteration: 2 }))).toBe(
      `initialisation.iteration: first has no checkpoint of step 2 in ${join(home, "runs/first")}; begin after 4, 6`,
    );
    expect(await problemOf(branch("1e-6", {}, "0.8.0"))).toContain(
      "trained by release 0.9.1, and the template's is 0.8.0",
    );
    expect(await problemOf(branch("2e-7"))).toContain("the optimizer's state of first could not be changed");
    await rm(join(home, "runs/first/checkpoints/global_step_6/actor/optim_world_size_1_rank_0.pt"));
    expect(await problemOf(branch("2e-7"))).toContain(
      "optimizer.learningRate: the trainer restores the value of first",
    );
  });

  it("is refused by a Python that ends before it reads a list longer than a pipe holds", async () => {
    await verlOrigin();
    const actor = "runs/first/checkpoints/global_step_6/actor";
    await Promise.all(
      Array.from({ length: 1000 }, (_, rank) => write(`${actor}/optim_world_size_1000_rank_${rank}.pt`)),
    );
    expect((await begin(branch("2e-7"))).problem).toContain("the optimizer's state of first could not be changed");
  });

  it("goes on from its own checkpoint after a kill", async () => {
    await verlOrigin();
    await write("runs/branch/checkpoints/latest_checkpointed_iteration.txt", "8");
    const begun = await begin(branch("1e-6"), join(home, "runs/branch/1"));
    const argv = "job" in begun ? begun.job.argv : [];
    expect(argv).toContain("trainer.resume_mode=auto");
    expect(argv.join(" ")).not.toContain("resume_from_path");
  });

  it("starts with a policy in Hugging Face's form, and names the command that makes one", async () => {
    await verlOrigin();
    const start = branch("1e-6", { kind: "start", path: join(folder(), "origin/policy") });
    expect((await begin(start)).problem).toContain("python3 -m verl.model_merger merge --backend fsdp --local_dir");
    await write("runs/first/checkpoints/global_step_6/actor/huggingface/model.safetensors");
    expect((await begin(start)).problem).toBeUndefined();
    expect(existsSync(join(folder(), "origin/policy/config.json"))).toBe(true);
  });
});

/** Python with `verl`, `torch` and `transformers`; verl's own checkpoint manager saves and loads. */
const verlPython = process.env["ARLARENA_VERL_PYTHON"] ?? "";
const why = verlPython === "" ? " (skipped unless ARLARENA_VERL_PYTHON names a Python that has verl)" : "";

describe.skipIf(verlPython === "")(`a branch of a checkpoint saved by verl${why}`, () => {
  const train = async (strategy: string, ranks: number, ...words: string[]) => {
    const program = join(import.meta.dirname, "testing/fsdp_state.py");
    const outputs = await Promise.all(
      Array.from({ length: ranks }, async (_, rank) => {
        const env = { ...process.env, RANK: String(rank), WORLD_SIZE: String(ranks), MASTER_ADDR: "127.0.0.1" };
        return (
          await promisify(execFile)(verlPython, [program, strategy, ...words], {
            env: { ...env, MASTER_PORT: "29531" },
          })
        ).stdout;
      }),
    );
    return outputs[0] ?? "";
  };

  it.each([
    ["fsdp", 1],
    ["fsdp2", 2],
  ])("%s on %i ranks trains as if the settings were set in memory", async (strategy, ranks) => {
    const saved = join(home, "runs/first/checkpoints/global_step_6");
    await train(strategy, ranks, "save", join(saved, "actor"));
    const set = [...verlArgv("branch", "2e-4"), "actor_rollout_ref.actor.optim.weight_decay=0.1"];
    const begun = begins("global_step_6", { python: [verlPython] });
    const argv = [...verlArgv("first", "1e-3"), "actor_rollout_ref.actor.optim.weight_decay=0.01"];
    await write("runs/first/1/external.json", JSON.stringify(jobOf(argv, { release: "0.9.1" })));
    expect(await begin(jobOf(set, { release: "0.9.1", begins: begun }))).toMatchObject({ job: {} });
    const branch = await train(strategy, ranks, "go", join(folder(), "origin/global_step_6/actor"));
    const values = JSON.stringify({ lr: 2e-4, weight_decay: 0.1 });
    expect(branch).toBe(await train(strategy, ranks, "set", join(saved, "actor"), values));
    expect(JSON.parse(branch)).toMatchObject({ group: { lr: 2e-4, initial_lr: 2e-4, weight_decay: 0.1 } });
    expect(branch).not.toBe(await train(strategy, ranks, "go", join(saved, "actor")));
  });
});

describe("a branch of TRL", () => {
  const argv = (run: string, every: number) => [
    "--output_dir",
    join(home, "runs", run, "1/output"),
    "--eval_steps",
    String(every),
  ];

  it("has the plan's intervals in its state, and no random state in a later continuation", async () => {
    await write("runs/first/1/external.json", JSON.stringify(jobOf(argv("first", 4))));
    const state = '{\n  "eval_steps": 4,\n  "global_step": 6,\n  "log_history": [{"eval_steps_per_second": NaN}]\n}\n';
    await write("runs/first/1/output/checkpoint-6/trainer_state.json", state);
    await write("runs/first/1/output/checkpoint-6/rng_state.pth");
    const job = jobOf(argv("branch", 1), { begins: begins("checkpoint-6") });
    expect((await begin(job)).problem).toBeUndefined();
    const made = join(folder(), "origin/checkpoint-6");
    expect(readFileSync(join(made, "trainer_state.json"), "utf8")).toBe(state.replace("4", "1"));
    expect(existsSync(join(made, "rng_state.pth"))).toBe(true);
    await begin(jobOf(argv("branch", 1), { begins: begins("checkpoint-6", { continuation: 2 }) }));
    expect(existsSync(join(made, "rng_state.pth"))).toBe(false);
  });

  it("is stopped where its program starts over, and keeps none of its values", async () => {
    await write("runs/first/1/external.json", JSON.stringify(jobOf(argv("first", 4))));
    await write("runs/first/1/output/checkpoint-6/trainer_state.json", '{"global_step": 6}');
    await mkdir(folder(), { recursive: true });
    const program = "console.log(JSON.stringify({ step: 1, loss: 2 })); setInterval(() => {}, 1000)";
    const job = jobOf(["-e", program, "--", ...argv("branch", 4)], { begins: begins("checkpoint-6") });
    const output = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume() };
    const stop = new AbortController().signal;
    const exit = await runExternal({ job, folder: folder(), specHash: "h", resumeFrom: undefined, stop, output });
    expect(exit).toBe(1);
    const events = readFileSync(join(folder(), "events.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => RunEvent.parse(JSON.parse(line)));
    expect(events[0]).toMatchObject({
      firstIteration: 7,
      origin: { kind: "branch", run: "first", iteration: 6, continuation: 0 },
    });
    expect(events.filter(({ type }) => type === "metrics")).toEqual([]);
    expect(events.at(-1)).toMatchObject({ exit: "failed", reason: expect.stringContaining("started over") });
  });
});
