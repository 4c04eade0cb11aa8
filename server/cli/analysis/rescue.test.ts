import { afterAll, expect, test } from "vitest";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { createFromYaml } from "../client/runSweep.ts";
import { answer } from "../program.ts";

const database = await makeTestDatabase();
process.env["DATABASE_URL"] = database.url;
afterAll(async () => {
  delete process.env["DATABASE_URL"];
  await database.close();
});
const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };

/** Stores the evaluations of a finished branch, from the iteration after 12 to the last. */
async function storeBranch(runId: string, values: readonly number[]): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const name = { key: "evaluation/successRate" };
  const metric = await database.prisma.metricName.upsert({ where: name, create: name, update: {} });
  const rows = values.map((value, seq) => ({
    attemptId,
    seq,
    iteration: 13 + seq,
    optimizerStep: 13 + seq,
    atMs: 0,
    metricIds: [metric.id],
    values: [value],
  }));
  await database.prisma.metricRow.createMany({ data: rows });
  await database.prisma.attempt.update({
    where: { id: attemptId },
    data: { numMetricLines: rows.length, lastSeq: rows.length - 1, live: false },
  });
  const latestIteration = 12 + values.length;
  await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", latestIteration } });
}

test("a rescue launches branches with one change each, and prints what they came to", async () => {
  const { id } = await createFromYaml(
    { database, home: "/nowhere" },
    "name: First\nmethods: [cispo]\nenvironments: [{ id: sokoban }]\nbase: { budget: { iterations: 16 } }\nseeds: [2]\n",
  );
  const origin = `${id}-c0-s2`;
  expect(await answer(["rescue", origin], screen)).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining("iterations: " + origin + " had no alarm") as string,
  });
  expect(await answer(["rescue", origin, "--iterations", "16"], screen)).toMatchObject({ exitCode: 1 });
  expect(await database.prisma.sweep.count()).toBe(1);
  expect(await answer(["table", id, "--kind", "rescue"], screen)).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining(`no answer for ${id}: no branch has ended`) as string,
  });
  const launched = await answer(["rescue", origin, "--iterations", "12", "--continuations", "3"], screen);
  expect(launched.text).toMatch(/^Launched 24 runs and 96 iterations, from iterations 12\n/);
  expect((await answer(["rescue", origin, "--from"], screen)).text).toBe(`No finished branches of ${origin} yet`);

  const runs = await database.prisma.run.findMany({
    where: { sweepId: { not: id } },
    include: { cell: true },
    orderBy: [{ cell: { index: "asc" } }, { seed: "asc" }],
  });
  expect(runs).toHaveLength(24);
  for (const { id: runId, seed, cell } of runs.slice(0, 23)) {
    const high = cell.method.endsWith("sequence mask") ? 0.3 + 0.02 * seed : 0;
    await storeBranch(
      runId,
      [0, 1, 2, 3].map((i) => 0.4 + high + 0.1 * seed + 0.01 * i),
    );
  }
  const open = await answer(["rescue", origin, "--from"], screen);
  expect(open.text).toContain("23 of 23 branches are still being judged. Until then there are no intervals");
  expect(open.text).toMatch(/^ +12 +sequence mask +0 of 0 +96 % +\+34$/m);
  while (await replayWaiting(database.pool, 100));
  const { text, exitCode } = await answer(["rescue", origin, "--from"], screen);
  expect(exitCode).toBe(0);
  expect(text).toMatch(/^ +12 +nothing +0 of 0 +62 %$/m);
  expect(text).toMatch(/^ +12 +sequence mask +0 of 0 +96 % +\+34 \[29, 39\] +0\.001$/m);
  expect(text).toMatch(/^ +12 +minibatch \(rows\) × 4 +/im);
  expect(text).not.toContain("still being judged");
  expect(text).toContain("1 branch not complete yet");
  const sweeps = [...new Set(runs.map(({ sweepId }) => sweepId))];
  // The table of the origin's sweep contains the branches of the origin.
  const table = await answer(["table", ...sweeps, "--kind", "rescue"], screen);
  expect(table.text).toMatch(/^\| sequence mask \| 1 \| – \| 0 \| 0 \| 96 \| 34 \\\[29, 39\\\] \| 0.001 \|$/m);
  expect((await answer(["table", id, "--kind", "rescue"], screen)).text).toBe(table.text);
  expect((await answer(["analyse", "rescue", id, "--run", origin], screen)).text).toBe(table.text);
  expect((await answer(["analyse", "rescue", id, "--run", "nobody"], screen)).text).toContain(
    `run: no branches of a run "nobody"; there are ${origin}`,
  );
});
