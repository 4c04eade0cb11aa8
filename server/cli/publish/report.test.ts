import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { afterAll, expect, it } from "vitest";
import { createReport } from "#server/db/publish/reports.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import type { Outcome } from "../command.ts";
import { addReport } from "./report.ts";

const database = await makeTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "arlarena-report-"));
afterAll(async () => void (await Promise.all([database.close(), rm(folder, { recursive: true })])));

/** Performs the command given by the words after `npx arlarena`. */
async function perform(...words: string[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
  const program = new Command().exitOverride();
  addReport(program, {
    perform: async (work) => void outcomes.push(await work(screen)),
    performInStudio: async (work) =>
      void outcomes.push(await work({ database, address: undefined, home: folder }, screen)),
  });
  await program.parseAsync(words, { from: "user" });
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error(`"${words.join(" ")}" performed nothing`);
  return outcome;
}

it("writes a report as one file without script or network, and lists it", async () => {
  const id = await createReport(database, { title: "For <colleagues>", body: "Text with **weight**.\n" });
  const file = join(folder, "report.html");
  const exported = await perform("report", "export", id, file);
  expect(exported).toMatchObject({ exitCode: 0, json: { report: id, title: "For <colleagues>", problems: [] } });
  const html = await readFile(file, "utf8");
  expect(html).toContain("<strong>weight</strong>");
  expect(html).toContain("For &lt;colleagues&gt;");
  expect(html).not.toMatch(/<script|<link|src="http|url\(http/);
  expect((await perform("report", "list")).text).toBe(`${id}  For <colleagues>`);
});

it("exits with 1 and names the line where a block shows nothing, and refuses a report that does not exist", async () => {
  const body = "# Before\n\n```chart\nsweep: no-such-sweep\nmetric: evaluation/successRate\n```\n";
  const id = await createReport(database, { title: "Broken", body });
  const { exitCode, remarks } = await perform("report", "export", id, join(folder, "broken.html"));
  expect(exitCode).toBe(1);
  expect(remarks?.join()).toContain("no-such-sweep");
  const missing = perform("report", "export", "no-such-report", join(folder, "none.html"));
  await expect(missing).rejects.toThrow("no-such-report");
});
