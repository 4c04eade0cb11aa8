import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes, RunEvent } from "#trainer/spec/event.ts";
import { runExternal } from "./runExternal.ts";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-going-on-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Runs an attempt whose program prints these lines in verl's format. Returns the attempt's events and exit code. */
async function runAttempt(
  attempt: number,
  lines: readonly string[],
  more: { prepare?: string[]; summed?: string[]; argv?: string[]; stop?: AbortSignal } = {},
) {
  const { argv = [], stop = new AbortController().signal, ...job } = more;
  const folder = join(home, String(attempt));
  await mkdir(folder, { recursive: true });
  const program = `for (const line of ${JSON.stringify(lines)}) console.log(line)`;
  const exit = await runExternal({
    job: {
      name: "verl",
      argv: [process.execPath, "-e", program, "--", ...argv],
      ...job,
      environment: {},
      folder: tmpdir(),
      metrics: { kind: "verlConsole" },
      notes: [],
    },
    folder,
    specHash: "hash",
    resumeFrom: attempt > 1 ? join(home, String(attempt - 1)) : undefined,
    stop,
    output: { stdout: new PassThrough().resume(), stderr: new PassThrough().resume() },
  });
  const text = await readFile(join(folder, "events.jsonl"), "utf8");
  const events = text
    .trim()
    .split("\n")
    .map((line) => RunEvent.parse(JSON.parse(line)));
  return { exit, events };
}

async function firstIterations(attempt: number, lines: readonly string[]): Promise<number[]> {
  const { exit, events } = await runAttempt(attempt, lines);
  expect(exit).toBe(exitCodes.completed);
  return events.flatMap((event) => (event.type === "started" ? event.firstIteration : []));
}

const training = (step: number) => `step:${step} - actor/pg_loss:0.5 - actor/grad_norm:0.1`;
const validation = (step: number) => `step:${step} - val-core/sokoban/reward/mean@1:0.4`;

describe("a later attempt of a program whose printed steps are counted over the whole run", () => {
  it.each([
    ["goes on from its first step", 2, [training(41), training(42)], [1, 41]],
    ["goes on after the checkpoint that it validates first", 2, [validation(40), training(41)], [1, 41]],
    ["begins anew at step 1", 2, [training(1), training(2)], [1]],
    ["begins anew with a validation of the untrained policy", 2, [validation(0), training(1)], [1]],
    ["measures nothing", 2, [], [1]],
    ["is the run's first, wherever it begins", 1, [training(41)], [1]],
  ])("%s", async (_, attempt, lines, expected) => {
    expect(await firstIterations(attempt, lines)).toEqual(expected);
  });
});

describe("data that an attempt prepares for itself", () => {
  it("are written before the program starts", async () => {
    const file = join(home, "data.txt");
    const { exit } = await runAttempt(1, [training(1)], {
      prepare: [process.execPath, "-e", `require("fs").writeFileSync(${JSON.stringify(file)}, "rows")`],
    });
    expect(exit).toBe(exitCodes.completed);
    expect(await readFile(file, "utf8")).toBe("rows");
  });

  it("end the attempt with the step's exit code where they cannot be written", async () => {
    const { exit, events } = await runAttempt(1, [training(1)], {
      prepare: [process.execPath, "-e", "console.error('no rows'); process.exit(3)"],
    });
    expect(exit).toBe(exitCodes.failed);
    const reasons = events.flatMap((event) => (event.type === "done" ? [event.reason] : []));
    expect(reasons).toEqual(["preparing the data ended with exit code 3: no rows"]);
    expect(events.filter((event) => event.type === "metrics")).toEqual([]);
  });
});

describe("entropy and KL of a trainer that sums them over a row's tokens", () => {
  const line = "step:1 - actor/entropy:128.0 - actor/kl_loss:2.0 - actor/grad_norm:0.1";
  const namesOf = async (summed?: string[]) => {
    const { events } = await runAttempt(1, [line], summed === undefined ? {} : { summed });
    return events.flatMap((event) => (event.type === "metrics" ? Object.keys(event.values) : []));
  };

  it("are no nats of a token: they keep a name of their own", async () => {
    const names = await namesOf(["actor/entropy", "actor/kl_loss"]);
    expect(names).toEqual(expect.arrayContaining(["actor/entropy_sum", "actor/kl_loss_sum", "update/gradientNorm"]));
    expect(names).not.toContain("policy/entropy");
  });

  it("are the catalogue's where they are means", async () => {
    expect(await namesOf()).toEqual(expect.arrayContaining(["policy/entropy", "policy/klReference"]));
  });
});

describe("a program that is asked to stop", () => {
  const steps = Array.from({ length: 47 }, (_, i) => training(i + 1));
  const endOf = async (argv: string[], lines = steps): Promise<string> => {
    const { exit, events } = await runAttempt(1, lines, { argv, stop: AbortSignal.abort() });
    expect(exit).toBe(exitCodes.interrupted);
    const done = events.at(-1);
    return done?.type === "done" ? done.reason.replace(/^asked to stop, .* ended with exit code 0; /, "") : "";
  };

  it("says how many steps are lost since verl's last checkpoint", async () => {
    const argv = [`trainer.default_local_dir=${home}/checkpoints`];
    expect(await endOf(argv)).toBe("it had saved no checkpoint: all 47 steps are lost");
    await rm(join(home, "1"), { recursive: true });
    await mkdir(join(home, "checkpoints"));
    await writeFile(join(home, "checkpoints/latest_checkpointed_iteration.txt"), "40");
    expect(await endOf(argv)).toBe("7 steps since its last checkpoint (step 40) are lost");
    await rm(join(home, "1"), { recursive: true });
    expect(await endOf(argv, steps.slice(0, 40))).toBe("no step is lost: its last checkpoint is of step 40");
  });

  it("says so of TRL's, and where checkpoints are not known", async () => {
    await mkdir(join(home, "out/checkpoint-45"), { recursive: true });
    await writeFile(join(home, "out/checkpoint-45/trainer_state.json"), JSON.stringify({ global_step: 45 }));
    expect(await endOf(["--output_dir", `${home}/out`])).toBe("2 steps since its last checkpoint (step 45) are lost");
    await rm(join(home, "1"), { recursive: true });
    expect(await endOf([])).toBe("it saves nothing when asked to stop: its steps since its last checkpoint are lost");
  });
});
