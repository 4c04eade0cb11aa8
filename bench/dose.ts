/**
 * The dose of a lag and of a precision: `node bench/compiled.mjs dose [PLAN public/presets/laboratory/dose.yaml]`.
 * Trains the plan's synchronous runs and, at iterations 20, 50 and 80, has episodes written by an earlier version or by
 * the rounded newest one: how far is that writer from the newest version? Prints a line a learning rate and writer:
 * medians over seeds and iterations of k3 (nats a token) and of the effective share of rows, with their ranges.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { parsePlan } from "#server/domain/sweep/plan.ts";
import type { Parameters } from "#trainer/policy/parameters.ts";
import { makeActor } from "#trainer/run/acting/actor.ts";
import { makeBehaviour } from "#trainer/run/acting/behaviour.ts";
import { collect } from "#trainer/run/acting/collect.ts";
import { makeVersions } from "#trainer/run/acting/versions.ts";
import { creditRows } from "#trainer/run/learning/credit.ts";
import { updatePolicy } from "#trainer/run/learning/update.ts";
import { prepare, type RunContext, type Trainer } from "#trainer/run/prepare.ts";
import { makeRecorder } from "#trainer/run/testing/recorder.ts";
import { RunSpec } from "#trainer/spec/run.ts";

const [planPath = "public/presets/laboratory/dose.yaml"] = process.argv.slice(2);
const measuredAt = [20, 50, 80];

type Writer = { name: string; rollout: Pick<RunSpec["rollout"], "lag" | "samplerPrecision"> };
const writers: readonly Writer[] = [
  ...[1, 2, 4, 8, 16, 32].map((k): Writer => ({ name: `lag ${k}`, rollout: { lag: { kind: "constant", k } } })),
  ...(["bf16", "int8", "fp8-e4m3", "fp8-e4m3-tensor"] as const).map((samplerPrecision): Writer => ({
    name: samplerPrecision,
    rollout: { samplerPrecision },
  })),
];

type Dose = { learningRate: number; writer: string; k3: number; essRow: number };
type Act = ReturnType<typeof makeActor>["actor"];
type Training = { spec: RunSpec; run: RunContext; trainer: Trainer; act: Act; check: () => void };

/** One iteration of a synchronous run, as the trainer has it, without evaluations. */
async function learn({ spec, trainer, check }: Training, iteration: number): Promise<void> {
  const { family, learner, acting, state } = trainer;
  const { parameters, reference, optimizer } = state;
  const { kept, lossScale } = await collect(spec, acting, { family, iteration });
  const scoring = { spec, shape: acting.shape, learner, parameters, reference, critic: undefined, versions: undefined };
  const { rows } = await creditRows(scoring, kept, state.klCoef);
  const update = { spec, maxRowTokens: acting.maxRowTokens, learner, optimizer, parameters, check };
  await updatePolicy(update, rows, { iteration, lossScale });
  state.iteration = iteration;
}

/** How far each writer is from the newest version, on the tasks of the next iteration. */
async function measure(
  { spec, trainer, act, check }: Training,
  earlier: ReadonlyMap<number, Parameters>,
): Promise<Dose[]> {
  const { family, learner, acting, config, state } = trainer;
  const { parameters, reference, iteration: version } = state;
  const doses: Dose[] = [];
  for (const { name, rollout } of writers) {
    if (rollout.lag?.kind === "constant" && rollout.lag.k > version) continue;
    const written = { ...spec, rollout: { ...spec.rollout, ...rollout } };
    const begin = { version, parameters: await trainer.store.read(parameters), earlier };
    const versions = makeVersions(written, config, begin);
    if (!versions) throw new Error(`${name} is the current policy, exactly`);
    const behaviour = makeBehaviour(written, versions, (weights) => act(weights, check));
    const { kept } = await collect(written, acting, { family, iteration: version + 1, behaviour });
    const scoring = { spec: written, shape: acting.shape, learner, parameters, reference, critic: undefined, versions };
    const { values } = await creditRows(scoring, kept, 0);
    const { "mismatch/k3": k3 = NaN, "mismatch/essRow": essRow = NaN } = values;
    doses.push({ learningRate: spec.optimizer.learningRate, writer: name, k3, essRow });
  }
  return doses;
}

async function measureRun(spec: RunSpec, folder: string): Promise<Dose[]> {
  const { run } = makeRecorder(folder);
  const trainer = await prepare(spec, run);
  const { actor: act } = makeActor({ spec, environment: trainer.family }, run.sessionOptions);
  const training = { spec, run, trainer, act, check: () => run.interrupt.check() };
  const earlier = new Map<number, Parameters>();
  const doses: Dose[] = [];
  for (let iteration = 1; iteration <= spec.budget.iterations; iteration++) {
    const before = Object.entries(await trainer.store.read(trainer.state.parameters)).map(([name, values]) => [
      name,
      values.slice(),
    ]);
    earlier.set(iteration - 1, Object.fromEntries(before));
    await learn(training, iteration);
    if (measuredAt.includes(iteration)) doses.push(...(await measure(training, earlier)));
  }
  await trainer.close();
  return doses;
}

function describe(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (i: number): string => (sorted[i] ?? NaN).toPrecision(2);
  return `${at(Math.floor(sorted.length / 2))} | ${at(0)} … ${at(sorted.length - 1)}`;
}

const { cells, runs } = expandPlan(parsePlan(readFileSync(planPath, "utf8")));
const folder = mkdtempSync(join(tmpdir(), "arlarena-dose-"));
try {
  const doses: Dose[] = [];
  for (const { cellIndex, seed } of runs) {
    const spec = RunSpec.parse({ ...cells[cellIndex]?.spec, v: 1, seed });
    doses.push(...(await measureRun(spec, folder)));
    console.error(`${doses.length} doses: learning rate ${spec.optimizer.learningRate}, seed ${seed}`);
  }
  console.log("| learning rate | writer | k3 | range | effective rows | range | measured |");
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const learningRate of new Set(doses.map((dose) => dose.learningRate))) {
    for (const { name } of writers) {
      const found = doses.filter((dose) => dose.learningRate === learningRate && dose.writer === name);
      const parts = [found.map(({ k3 }) => k3), found.map(({ essRow }) => essRow)].map(describe);
      console.log(`| ${learningRate} | ${name} | ${parts.join(" | ")} | ${found.length} |`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
