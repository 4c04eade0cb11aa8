import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { findPaperItem, findRecipe, paperItems } from "#server/domain/publish/papers/papers.ts";
import { launchPaper } from "./launchPaper.ts";
import { listPapers } from "./listPapers.ts";

const database = await makeTestDatabase();
/** A state folder without trainers.yaml. */
const home = await mkdtemp(join(tmpdir(), "arlarena-paper-"));
afterAll(async () => void (await Promise.all([database.close(), rm(home, { recursive: true })])));
beforeEach(async () => void (await database.prisma.sweep.deleteMany()));

const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
const studio = { database, address: undefined, home };
const item = findPaperItem("tableS3");
const recipe = findRecipe(item, "embedded");
const launch = { item, recipe, scale: "embedded", format: "markdown" } as const;

test("a table's sweeps are created, and the answer says how it is made from them", async () => {
  const { text, exitCode } = await launchPaper(launch, studio, screen);
  const sweeps = await database.prisma.sweep.findMany({ orderBy: { createdAt: "asc" } });
  expect(sweeps.map(({ name }) => name)).toEqual(["Table 3, WebShop", "Table 3, ALFWorld"]);
  const ids = sweeps.map(({ id }) => id);
  expect([exitCode, text.split("\n")]).toEqual([
    0,
    [
      `Sweep ${ids[0]}: Table 3, WebShop, 30 runs`,
      `Sweep ${ids[1]}: Table 3, ALFWorld, 30 runs`,
      `To print the result, now or when the sweeps have ended: npx arlarena paper tableS3 --scale embedded --from ${ids.join(" ")}`,
    ],
  ]);
});

test("none is created where a later one is refused, and the refusal names the preset", async () => {
  const presets = ["quick-look", "arlarena-alfworld"];
  const refused = launchPaper({ ...launch, recipe: { ...recipe, presets } }, studio, screen);
  await expect(refused).rejects.toMatchObject({
    code: "bad_input",
    message: expect.stringMatching(/^arlarena-alfworld: .*arlarena/),
  });
  expect(await database.prisma.sweep.count()).toBe(0);
});

test("the list has every item of both papers, and why a scale cannot make one", () => {
  const { text } = listPapers(screen);
  for (const { id, title } of paperItems) expect(text).toMatch(new RegExp(`^${id} .*${title.slice(0, 20)}`, "m"));
  expect(text).toMatch(/^transfer .*transfer-textworld/m);
});
