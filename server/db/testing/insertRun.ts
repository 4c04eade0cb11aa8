import { CellSpec } from "#trainer/spec/run.ts";
import { methods } from "#trainer/spec/method.ts";
import type { Database } from "../storage/client.ts";

const { aggregation, clipping, advantage, sampling } = methods.grpo;
const method = { aggregation, clipping, advantage, sampling };
const spec = CellSpec.parse({ environment: { id: "sokoban" }, method });

export async function insertSweep({ prisma }: Database, id: string, runIds: readonly string[]): Promise<void> {
  await prisma.sweep.create({
    data: {
      id,
      name: id,
      plan: {},
      planHash: "",
      cells: {
        create: runIds.map((runId, index) => ({
          index,
          method: "GRPO",
          label: "",
          spec,
          specHash: "",
          runs: { create: { id: runId, sweepId: id, seed: index } },
        })),
      },
    },
  });
}

export async function insertRun(database: Database, runId: string): Promise<number> {
  await insertSweep(database, `sweep-of-${runId}`, [runId]);
  return await insertAttempt(database, runId, 1);
}

export async function insertAttempt({ prisma }: Database, runId: string, number: number): Promise<number> {
  await prisma.run.update({ where: { id: runId }, data: { status: "running" } });
  const data = { runId, number, jobId: `${runId}.${number}`, node: "local", folder: "" };
  return (await prisma.attempt.create({ data })).id;
}
