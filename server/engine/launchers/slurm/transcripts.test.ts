import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { SlurmNode } from "#server/domain/fleet/nodes/node.ts";
import { methods } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import type { Launcher } from "../launcher.ts";
import { makeSlurmLauncher } from "./slurm.ts";
import { makeFakeSlurm } from "./testing/fakeSlurm.ts";
import { type Step, type Transcript, transcripts } from "./testing/transcripts.ts";
import { makeAskSlurm } from "./cluster.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method });
const jobId = "r-c0-s0.1";

describe("the Slurm launcher, through recorded afternoons", () => {
  const home = mkdtempSync(join(tmpdir(), "arlarena-transcripts-"));
  afterAll(() => rmSync(home, { recursive: true }));

  it.each(transcripts.map((transcript, i) => [transcript.name, transcript, i] as const))(
    "%s",
    async (_, transcript, i) => {
      const stage = makeStage(join(home, String(i)), transcript);
      for (const [at, step] of transcript.steps.entries()) {
        expect(await stage.play(step), `step ${at + 1}`).toMatchObject(step.is);
      }
      const calls = stage.calls();
      const count = calls.filter((call) => call.startsWith("sbatch ")).length;
      if (transcript.numSubmissions !== undefined) expect(count).toBe(transcript.numSubmissions);
      const cancels = calls.filter((call) => call.startsWith("scancel ")).map((call) => call.replace("scancel ", ""));
      if (transcript.scancel !== undefined) expect(cancels).toEqual(transcript.scancel);
      for (const call of calls.filter((line) => line.startsWith("sacct"))) {
        expect(call, "without a time, jobs from before midnight disappear").toMatch(
          / -S \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d /,
        );
      }
    },
  );

  it("asks once for all jobs, and the accounting only about those that the queue has lost", async () => {
    const { launcher, fake } = makeStage(join(home, "many"), { name: "many", steps: [] });
    const jobs = Array.from({ length: 20 }, (_, i) => `r-c${i}-s0.1`);
    for (const [i, id] of jobs.entries()) {
      fake.say("sbatch", `${100 + i}\n`);
      await launcher.launch({ jobId: id, spec, devices: [] });
    }
    const line = (id: string, i: number): string => `${100 + i}|arlarena-${id}|RUNNING|None|n1|2026-11-21T10:00:00\n`;
    const before = fake.calls().length;
    fake.say("squeue", jobs.map(line).join(""));
    const { states } = await launcher.observe(jobs.map((id) => ({ jobId: id, logOffset: 0 })));
    expect([...states.values()].map(({ state }) => state)).toEqual(jobs.map(() => "running"));
    expect(
      fake
        .calls()
        .slice(before)
        .map((call) => call.split(" ")[0]),
    ).toEqual(["squeue"]);
    fake.say(
      "squeue",
      jobs
        .slice(2)
        .map((id, i) => line(id, i + 2))
        .join(""),
    );
    await launcher.observe(jobs.map((id) => ({ jobId: id, logOffset: 0 })));
    expect(
      fake
        .calls()
        .slice(before + 1)
        .map((call) => call.split(" ")[0]),
    ).toEqual(["squeue", "sacct"]);
  });
});

type Stage = {
  launcher: Launcher;
  fake: ReturnType<typeof makeFakeSlurm>;
  play: (step: Step) => Promise<unknown>;
  calls: () => string[];
};

function makeStage(folder: string, { requeue = false }: Transcript): Stage {
  const fake = makeFakeSlurm(folder);
  // The trainer's file exists already and is empty: this test trains nothing.
  const shared = join(folder, "shared");
  mkdirSync(join(shared, "bundles/slurm-abc-1"), { recursive: true });
  writeFileSync(join(shared, "bundles/slurm-abc-1/trainer.mjs"), "");
  const bundle = { trainer: "/trainers/abc/trainer.mjs", agent: "", nodeModules: "", engineVersion: "1" };
  const slots = { per: "job", count: 50 };
  const node = SlurmNode.parse({ kind: "slurm", name: "cluster", folder: shared, slots, requeue });
  let skewMs = 0;
  const make = (): Launcher => {
    const ask = makeAskSlurm({ PATH: fake.path }, 3000);
    return makeSlurmLauncher({ node, home: folder, bundle, ask, pollMs: 0, now: () => Date.now() + skewMs });
  };
  const stage = { launcher: make(), fake };
  const play = async (step: Step) => {
    skewMs += (step.after ?? 0) * 60_000;
    for (const tool of ["sbatch", "squeue", "sacct"] as const) {
      const say = step[tool];
      if (say !== undefined) fake.say(tool, say);
    }
    const own = stage.launcher.folderOf(jobId);
    mkdirSync(own, { recursive: true });
    for (const [name, text] of Object.entries(step.files ?? {})) writeFileSync(join(own, name), text);
    for (const action of step.first ?? []) {
      if (action === "restart") stage.launcher = make();
      else if (action === "launch") await stage.launcher.launch({ jobId, spec, devices: [] });
      else await stage.launcher.cancel(jobId);
    }
    const { states } = await stage.launcher.observe([{ jobId, logOffset: 0 }]);
    return states.get(jobId);
  };
  return { ...stage, play, calls: fake.calls };
}
