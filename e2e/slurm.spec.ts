import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { findSlurm, makeSlurmCluster } from "#server/engine/launchers/slurm/testing/realSlurm.ts";
import { listLoggedPoints, listStoredPoints } from "#server/engine/orchestrator/testing/storedPoints.ts";
import { fillBuilder, launch, tinyBudget } from "./stack/buildSweep.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { signIn } from "./stack/signIn.ts";
import { startStudio, stopStudio } from "./stack/startStudio.ts";
import { withDatabase } from "./stack/withDatabase.ts";

const slurm = findSlurm();

test("a sweep built in the browser trains on a Slurm cluster, which the nodes page shows", async ({
  browser,
}, testInfo) => {
  test.skip("missing" in slurm, "missing" in slurm ? slurm.missing : "");
  if ("missing" in slurm) return;
  test.setTimeout(1_200_000);
  const home = await mkdtemp(join(tmpdir(), "arlarena-slurm-"));
  await chmod(home, 0o755);
  const cluster = await makeSlurmCluster(join(home, "slurm"), slurm);
  const place = { folder: join(home, "shared"), partition: "short", time: "30:00", node: process.execPath };
  const node = { kind: "slurm", name: "cluster", ...place, slots: { per: "job", count: 10 }, warnSeconds: 60 };
  await writeFile(join(home, "nodes.yaml"), JSON.stringify({ nodes: [node] }));
  cluster.setPartition("DOWN");
  const studio = await startStudio(home, cluster.environment);
  const address = (await readStudio(home))?.address ?? "";
  const context = await browser.newContext({ baseURL: address, viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await signIn(page, home);
    await fillBuilder(page, { name: "On the cluster", methods: ["GRPO", "SAMPO"], seeds: "0, 1", fields: tinyBudget });
    const sweepId = await launch(page, 4);

    await page.getByRole("button", { name: /^Slots/ }).click();
    await page.getByRole("link", { name: "Nodes", exact: true }).click();
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "cluster" }) });
    await expect(card.getByText("Reachable")).toBeVisible({ timeout: 120_000 });
    await expect(card.getByText("4 of 10 jobs in use")).toBeVisible({ timeout: 120_000 });
    await page.screenshot({ path: testInfo.outputPath("nodes.png"), fullPage: true });

    // Slurm's partition is closed; the run's page gives this as the reason why the run waits.
    const waiting = await untilFound(
      () => readAttempts(home),
      ({ jobState, jobText }) => jobState === "queued" && (jobText ?? "").includes("PartitionDown"),
    );
    await page.goto(`/runs/${waiting.runId}?tab=details`);
    await expect(page.getByRole("row", { name: /cluster/ })).toContainText(/queued: PartitionDown/);
    cluster.setPartition("UP");

    await page.goto(`/sweeps/${sweepId}`);
    const tiles = page.getByRole("link", { name: /^Seed \d: (Completed|Finished)/ });
    await expect(tiles).toHaveCount(4, { timeout: 600_000 });
    await page.screenshot({ path: testInfo.outputPath("sweep.png"), fullPage: true });
    const attempts = await readAttempts(home);
    expect(attempts, "nobody was tried twice").toHaveLength(4);
    for (const { id, runId, folder, node: name } of attempts) {
      expect(name).toBe("cluster");
      const logged = await readFile(join(home, "shared/runs", runId, "1/events.jsonl"), "utf8");
      expect(await readFile(join(folder, "events.jsonl"), "utf8")).toBe(logged);
      expect(await withDatabase(home, (database) => listStoredPoints(database, id))).toEqual(listLoggedPoints(logged));
    }
    expect(new Set(attempts.map(({ host }) => host)), "both machines worked").toEqual(new Set(["n1", "n2"]));
  } finally {
    await context.close();
    await stopStudio(studio);
    await cluster.close();
    await forgetHome(home);
  }
});

type AttemptNow = {
  id: number;
  runId: string;
  folder: string;
  node: string;
  host: string | null;
  jobState: string;
  jobText: string | null;
};

function readAttempts(home: string): Promise<AttemptNow[]> {
  return withDatabase(home, async ({ pool }) => {
    const { rows } = await pool.query<AttemptNow>(
      `SELECT id, run_id AS "runId", folder, node, host, job_state AS "jobState", job_text AS "jobText" FROM attempt`,
    );
    return rows;
  });
}

async function untilFound<Item>(read: () => Promise<Item[]>, isIt: (item: Item) => boolean): Promise<Item> {
  let found: Item | undefined;
  await expect
    .poll(async () => (found = (await read()).find(isIt)) !== undefined, { timeout: 120_000, intervals: [200] })
    .toBe(true);
  if (found === undefined) throw new Error("not found");
  return found;
}
