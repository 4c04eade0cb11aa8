import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { findSshd, makeSshServer } from "#server/engine/launchers/ssh/testing/sshServer.ts";
import { listLoggedPoints, listStoredPoints } from "#server/engine/orchestrator/testing/storedPoints.ts";
import { fillBuilder, launch, tinyBudget } from "./stack/buildSweep.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { signIn } from "./stack/signIn.ts";
import { startStudio, stopStudio } from "./stack/startStudio.ts";
import { withDatabase } from "./stack/withDatabase.ts";

const sshd = findSshd();

test("a sweep built in the browser trains on another machine, which the nodes page shows", async ({
  browser,
}, testInfo) => {
  test.skip("missing" in sshd, "missing" in sshd ? sshd.missing : "");
  if ("missing" in sshd) return;
  test.setTimeout(900_000);
  const home = await mkdtemp(join(tmpdir(), "arlarena-nodes-"));
  const server = await makeSshServer(join(home, "server"), sshd);
  const { port, user, identityFile, hostKey } = server;
  const gate = join(home, "gate");
  const node = await writeGatedNode(home, gate);
  const access = { host: "127.0.0.1", port, user, identityFile, hostKeys: [hostKey], node };
  const place = { folder: join(home, "far"), slots: { per: "gpu", devices: [0, 1] } };
  const far = { kind: "ssh", name: "far", labels: ["gpu"], priority: 1, ...access, ...place };
  const silent = { ...far, name: "silent", port: 9, folder: "/nowhere", labels: [], priority: 9 };
  await writeFile(join(home, "nodes.yaml"), JSON.stringify({ nodes: [far, silent] }));
  const studio = await startStudio(home);
  const address = (await readStudio(home))?.address ?? "";
  const context = await browser.newContext({ baseURL: address, viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await signIn(page, home);
    await fillBuilder(page, { name: "Far away", methods: ["GRPO", "SAMPO"], seeds: "0, 1", fields: tinyBudget });
    const sweepId = await launch(page, 4);

    await page.getByRole("button", { name: /^Slots/ }).click();
    await page.getByRole("link", { name: "Nodes", exact: true }).click();
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "far" }) });
    await expect(card.getByText("Reachable")).toBeVisible({ timeout: 120_000 });
    await expect(card.getByText("2 of 2 GPU slots in use")).toBeVisible({ timeout: 120_000 });
    const deaf = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "silent" }) });
    await expect(deaf.getByText("Not answering")).toBeVisible();
    const fleet = page.getByRole("navigation", { name: "Fleet" });
    await fleet.getByRole("link", { name: "Queue" }).click();
    await expect(page.getByRole("row", { name: /Far away 2 running, 2 waiting 1 slot/ })).toBeVisible();
    await page.getByRole("button", { name: "Far away an hour sooner" }).click();
    await expect(page.getByRole("row", { name: /Far away.*\+1 h/ })).toBeVisible();
    await fleet.getByRole("link", { name: "Nodes" }).click();
    await expect(card).toBeVisible();
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: testInfo.outputPath(`nodes-${width}-${scheme}.png`), fullPage: true });
        const fits = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
        expect(fits, `at ${width} pixels`).toBe(true);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });

    // The node's connections are cut, but its jobs continue.
    await mkdir(gate);
    await server.kill();
    await expect(card.getByText("Not answering")).toBeVisible({ timeout: 120_000 });
    await server.start();
    await expect(card.getByText("Reachable")).toBeVisible({ timeout: 120_000 });

    await page.goto(`/sweeps/${sweepId}`);
    const tiles = page.getByRole("link", { name: /^Seed \d: (Completed|Finished)/ });
    await expect(tiles).toHaveCount(4, { timeout: 400_000 });
    for (const { id, runId, folder, node } of await readAttempts(home)) {
      expect(node).toBe("far");
      const logged = await readFile(join(home, "far/runs", runId, "1/events.jsonl"), "utf8");
      expect(await readFile(join(folder, "events.jsonl"), "utf8")).toBe(logged);
      expect(await withDatabase(home, (database) => listStoredPoints(database, id))).toEqual(listLoggedPoints(logged));
    }
    expect(await readAttempts(home), "nobody was tried twice").toHaveLength(4);
  } finally {
    await context.close();
    await stopStudio(studio);
    await server.close();
    await forgetHome(home);
  }
});

/**
 * Writes a replacement for the program `node` that delays trainers until the file `gate` exists or the test's folder
 * is gone, so that waiting runs can be inspected.
 */
async function writeGatedNode(home: string, gate: string): Promise<string> {
  const path = join(home, "node");
  const wait = `while [ -d '${home}' ] && [ ! -e '${gate}' ]; do sleep 0.1; done`;
  const text = `#!/bin/sh\ncase "$*" in *trainer.mjs*) ${wait};; esac\nexec '${process.execPath}' "$@"\n`;
  await writeFile(path, text, { mode: 0o755 });
  return path;
}

type AttemptNow = { id: number; runId: string; folder: string; node: string };

function readAttempts(home: string): Promise<AttemptNow[]> {
  return withDatabase(home, async ({ pool }) => {
    const { rows } = await pool.query<AttemptNow>('SELECT id, run_id AS "runId", folder, node FROM attempt');
    return rows;
  });
}
