/**
 * Prints the diagnosis' confusion tables as Markdown, on the runs of studies/diagnosis: `node bench/compiled.mjs
 * diagnosis [choose|judge]`. `--collect TRAINED.jsonl` writes these runs anew, from the recorded studies and from the
 * file that `node bench/compiled.mjs faults` wrote.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseArgs } from "node:util";
import { z } from "zod";
import { isCollapse, isRead, labelPoints, numberSteps, type Point, toEffective, withRates } from "#packages/detector";
import { diagnosedKeys } from "#server/domain/analysis/diagnosis/rules.ts";
import { printConfusion, tabulate } from "#server/domain/analysis/diagnosis/testing/confusion.ts";
import { type FaultRecord, toColumns } from "#server/domain/analysis/diagnosis/testing/record.ts";
import { parseEventLog } from "#server/domain/trainers/import/toEventLog.ts";
import { readPlain } from "#server/engine/studies/testing/readPlain.ts";
import { maxLagOf } from "#trainer/spec/sampler.ts";
import { CellSpec } from "#trainer/spec/run.ts";

const file = "studies/diagnosis/runs.jsonl.gz";
const { values: options, positionals } = parseArgs({
  options: { collect: { type: "string" } },
  allowPositionals: true,
});
const Sweep = z.object({ id: z.string(), cells: z.array(z.object({ index: z.int(), spec: z.unknown() })) });
const Head = z.object({ sweeps: z.array(Sweep), origins: z.array(Sweep).default([]) });
const Run = z.object({ sweepId: z.string(), cell: z.int(), seed: z.int() });
type Recorded = { id: string; seed: number; spec: CellSpec; points: readonly Point[] };

if (options.collect !== undefined) await collect(options.collect);
const records = gunzipSync(readFileSync(file))
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as FaultRecord);
for (const part of ["choose", "judge"] as const) {
  if (positionals.length > 0 && !positionals.includes(part)) continue;
  console.log(`${part}\n\n${printConfusion(tabulate(records, part))}\n`);
}

/** Reads the runs of a recorded study, branches joined to the runs that they continue. */
async function readStudy(name: string): Promise<Recorded[]> {
  const [head = "", ...lines] = (await readPlain(`studies/${name}.arlarena`)).split("\n");
  const { sweeps: own, origins } = Head.parse(JSON.parse(head));
  const sweeps = new Map([...origins, ...own].map(({ id, cells }) => [id, cells]));
  const runs: { run: z.infer<typeof Run>; log: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith('{"type":"run"')) runs.push({ run: Run.parse(JSON.parse(line)), log: [] });
    else if (line.startsWith('{"v":1,')) runs.at(-1)?.log.push(line);
  }
  const known = new Map<string, readonly Point[]>();
  return runs.map(({ run: { sweepId, cell, seed }, log }) => {
    const spec = CellSpec.parse(sweeps.get(sweepId)?.find(({ index }) => index === cell)?.spec);
    const { initialisation } = spec;
    const before =
      initialisation.kind === "branch"
        ? (known.get(initialisation.run) ?? []).filter(({ iteration }) => iteration <= initialisation.iteration)
        : [];
    const points = [...before, ...withRates(parseEventLog(log.join("\n")))];
    const id = `${sweepId}-c${cell}-s${seed}`;
    known.set(id, points);
    return { id, seed, spec, points };
  });
}

/** Chooses recorded runs by rule, joins the trained ones, and writes the metrics that labels and rules read. */
async function collect(trained: string): Promise<void> {
  const isKept = (key: string) => isRead(key) || diagnosedKeys.includes(key);
  const effective = toEffective({ numEpisodes: 64, groupSize: 8, numHeldOut: 128 });
  const labelOf = ({ points }: Recorded) => labelPoints(numberSteps(points), effective);
  const toRecord = (run: Recorded, about: Pick<FaultRecord, "part" | "faults">): FaultRecord => ({
    ...about,
    source: "recorded",
    spec: withoutOrigin(run.spec),
    ...toColumns(run.points, isKept),
  });
  const laboratory = (
    await Promise.all(
      ["main", "screen-grpo-lag", "screen-methods-lag-16", "beyond", "search"].map((name) =>
        readStudy(`laboratory/${name}`),
      ),
    )
  ).flat();
  const isLong = ({ points }: Recorded) => (points.at(-1)?.iteration ?? 0) >= 40;
  const isStale = ({ spec }: Recorded) => maxLagOf(spec.rollout) >= 8 && spec.optimizer.learningRate < 1e-3;
  const isFast = ({ spec }: Recorded) => spec.optimizer.learningRate >= 1e-3;
  const partOf = ({ seed }: Recorded) => (seed % 2 === 0 ? "choose" : "judge");
  const tables = (
    await Promise.all(["table3-sokoban", "transfer/sokoban", "transfer/textworld"].map(readStudy))
  ).flat();
  const healthy = [...laboratory, ...tables].filter(
    (run) =>
      maxLagOf(run.spec.rollout) === 0 &&
      !isFast(run) &&
      isLong(run) &&
      labelOf(run).kind === "healthy" &&
      run.spec.environment.id !== "curriculum",
  );
  const stale = laboratory.filter((run) => isStale(run) && isCollapse(labelOf(run)) && run.seed % 2 === 0);
  const fast = laboratory.filter((run) => isFast(run) && isCollapse(labelOf(run)));
  const unchanged = (await Promise.all(["rescue/sokoban", "rescue/webshop"].map(readStudy))).flat().filter((run) => {
    const { initialisation: from } = run.spec;
    return from.kind === "branch" && run.seed > 0 && isStale(run) && isUnchanged(run.spec) && isCollapse(labelOf(run));
  });
  const every = <Item>(items: readonly Item[], max: number) =>
    items.filter(
      (_, i) => Math.floor((i * max) / items.length) !== Math.floor(((i - 1) * max) / items.length) || i === 0,
    );
  const records = [
    ...(["choose", "judge"] as const).flatMap((part) =>
      every(
        healthy.filter((run) => partOf(run) === part),
        30,
      ).map((run) => toRecord(run, { part, faults: [] })),
    ),
    ...every(stale, 40).map((run) => toRecord(run, { part: "choose", faults: ["staleSampler"] })),
    ...every(unchanged, 40).map((run) => toRecord(run, { part: "judge", faults: ["staleSampler"] })),
    ...fast.map((run) =>
      toRecord(run, {
        part: partOf(run),
        faults: [...(maxLagOf(run.spec.rollout) >= 4 ? ["staleSampler"] : []), "stepTooLarge"],
      }),
    ),
    ...readFileSync(trained, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as FaultRecord),
  ];
  writeFileSync(file, gzipSync(records.map((one) => JSON.stringify(one)).join("\n"), { level: 9 }));
}

function isUnchanged(spec: CellSpec): boolean {
  const { initialisation: from } = spec;
  if (from.kind !== "branch" || !from.origin) return false;
  const settings = ({
    method,
    update,
    optimizer,
    rollout,
  }: Pick<CellSpec, "method" | "update" | "optimizer" | "rollout">) =>
    JSON.stringify([method, update, optimizer, rollout]);
  return settings(spec) === settings(from.origin);
}

/** The origin's specification would double the file. */
function withoutOrigin(spec: CellSpec): CellSpec {
  const { initialisation: from } = spec;
  return from.kind === "branch" ? { ...spec, initialisation: { kind: "scratch" } } : spec;
}
