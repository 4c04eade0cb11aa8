import { tryJson } from "#trainer/spec/tryJson.ts";
import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRunSpec, startEvaluation } from "#server/db/fleet/decisions.ts";
import {
  endEvaluation,
  noteEvaluation,
  type OpenEvaluation,
  readOpenEvaluations,
  repeatEvaluation,
} from "#server/db/runs/evaluations.ts";
import { isEnded, type JobState, textOf } from "#server/domain/fleet/job.ts";
import { type Assignment, assign, type Offer } from "#server/domain/fleet/nodes/assign.ts";
import { freeSlots, listSlots } from "#server/domain/fleet/nodes/slots.ts";
import { evaluatedMark, StoredResult } from "#trainer/spec/elsewhere.ts";
import { ask, type Effects } from "./act.ts";
import type { ManagedNode } from "./watch.ts";

/** Number of jobs that may end without a result before an evaluation counts as failed. */
const maxTries = 3;
/** Maximum number of waiting evaluations that one orchestrator round considers. */
const maxWaiting = 200;

type Clock = { observingSinceMs: number; graceMs?: number; resubmitAfterMs?: number };

type Evaluations = {
  evaluations: readonly OpenEvaluation[];
  seen: ReadonlyMap<string, JobState>;
  clock: Clock;
};

/** Stores results of ended evaluations and repeats those without. Returns the evaluations that still have a job. */
export async function settleEvaluations(
  effects: Effects,
  { evaluations, seen, clock }: Evaluations,
): Promise<OpenEvaluation[]> {
  const { database, sites } = effects;
  const live: OpenEvaluation[] = [];
  for (const one of evaluations) {
    const { jobId, node } = one;
    const site = sites.get(node ?? "");
    const state = seen.get(jobId ?? "");
    if (jobId === null) continue;
    if (!site) await repeatEvaluation(database, jobId, `node ${node} no longer exists`);
    else if (state && isEnded(state) && !isTooEarly(state, clock))
      await settle(effects, { ...one, jobId }, { site, state });
    else {
      live.push(one);
      if (state) await follow(effects, { ...one, jobId }, { site, state, clock });
    }
  }
  return live;
}

function isTooEarly({ state }: JobState, { observingSinceMs, graceMs = 30_000 }: Clock): boolean {
  return state === "lost" && Date.now() - observingSinceMs < graceMs;
}

type Evaluating = OpenEvaluation & { jobId: string };
type Seen = { site: ManagedNode; state: JobState };

async function settle({ database }: Effects, { jobId, tries, cancelAt }: Evaluating, { site, state }: Seen) {
  const folder = site.launcher.folderOf(jobId);
  const [stdout, stderr] = await Promise.all(
    ["stdout.log", "stderr.log"].map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
  );
  const answer = answerIn(stdout);
  const problem = answerIn(stderr);
  if (answer !== undefined) await endEvaluation(database, jobId, toOutcome(answer));
  else if (problem !== undefined) await endEvaluation(database, jobId, { problem });
  else {
    const how = textOf(state) ?? (state.state === "exited" ? `exit code ${state.exitCode}` : state.state);
    const why = [`its job ended without a result: ${how}`, ...lastLines(stderr)].join("; ");
    if (tries >= maxTries && cancelAt === null)
      await endEvaluation(database, jobId, { problem: `${why}; tried ${tries} times` });
    else await repeatEvaluation(database, jobId, why);
  }
  await rm(dirname(folder), { recursive: true, force: true }).catch(() => undefined);
}

function answerIn(text = ""): string | undefined {
  return text
    .split("\n")
    .find((line) => line.startsWith(evaluatedMark))
    ?.slice(evaluatedMark.length);
}

function toOutcome(answer: string): { result: StoredResult } | { problem: string } {
  const { data } = StoredResult.safeParse(tryJson(answer));
  return data
    ? { result: data }
    : { problem: `the trainer answered something else than a result: ${answer.slice(0, 200)}` };
}

function lastLines(text = ""): string[] {
  return text.trim().split("\n").slice(-2).filter(Boolean);
}

const resubmitAfterMs = 10_000;

/** Stores an open job's state. A cancelled job is ended, and a job that never arrived is submitted again. */
async function follow(effects: Effects, one: Evaluating, { site, state, clock }: Seen & { clock: Clock }) {
  if (one.cancelAt !== null) return await ask(effects, `cancel ${one.jobId}`, () => site.launcher.cancel(one.jobId));
  const note = textOf(state) ?? null;
  if (note !== one.note) await noteEvaluation(effects.database, one.jobId, note);
  const ageMs = Date.now() - (one.startedAtMs ?? 0);
  if (state.state === "submitted" && ageMs >= (clock.resubmitAfterMs ?? resubmitAfterMs))
    await submit(effects, one, site);
}

/** Starts waiting evaluations in free slots before runs use those slots. Returns the slots that they now occupy. */
export async function startEvaluations(effects: Effects, offers: readonly Offer[]): Promise<Assignment[]> {
  if (!offers.some(({ isReachable, free }) => isReachable && free.length > 0)) return [];
  const { database, sites } = effects;
  const waiting = await readOpenEvaluations(database, "waiting", maxWaiting);
  const kinds = new Map([...sites].map(([name, { node }]) => [name, node.kind]));
  const leases: Assignment[] = [];
  for (const { one, lease } of placeEvaluations(waiting, offers, kinds)) {
    const site = sites.get(lease.node);
    if (!site) continue;
    const jobId = `evaluation-${randomBytes(6).toString("hex")}.1`;
    const slots = listSlots(site.node.slots);
    if (!(await startEvaluation(database, { ...lease, id: one.id, jobId, slots }))) continue;
    leases.push(lease);
    await submit(effects, { ...one, jobId, devices: [...lease.devices] }, site);
  }
  return leases;
}

type Kinds = ReadonlyMap<string, ManagedNode["node"]["kind"]>;

/** Assigns slots: on the ssh or Slurm node that holds the policy, otherwise here, where all nodes' files are copied. */
export function placeEvaluations(waiting: readonly OpenEvaluation[], offers: readonly Offer[], kinds: Kinds) {
  let left = offers;
  return waiting.flatMap((one) => {
    const demand = { slots: 1, labels: [], avoid: [], notBeforeMs: 0 };
    const holds = ({ name }: Offer): boolean =>
      one.nodes.length === 1 && one.nodes[0] === name && ["ssh", "slurm"].includes(kinds.get(name) ?? "");
    const isHere = ({ name }: Offer): boolean => kinds.get(name) === "local";
    const lease = assign(demand, left.filter(holds)) ?? assign(demand, left.filter(isHere));
    if (!lease) return [];
    left = left.map((offer) =>
      offer.name === lease.node ? { ...offer, free: freeSlots(offer.free, lease.devices) } : offer,
    );
    return [{ one, lease }];
  });
}

async function submit(effects: Effects, { jobId, devices, ...one }: Evaluating, { launcher }: ManagedNode) {
  const { database } = effects;
  const read = await readRunSpec(database, one.runId);
  if ("problem" in read) return await endEvaluation(database, jobId, read);
  const { runId, evaluation, iteration } = one;
  const job = { jobId, spec: read.spec, devices, evaluates: { runId, evaluation, iteration } };
  await ask(effects, `submit ${jobId}`, async () => {
    const failed = (error: unknown) =>
      noteEvaluation(database, jobId, `the job could not be started: ${String(error)}`);
    await launcher.launch(job).catch(failed);
  });
}
