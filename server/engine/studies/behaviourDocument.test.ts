import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { divisions } from "#server/domain/analysis/behaviour/groupEpisodes.ts";
import { answer } from "#server/api/publish/answers.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { importStudy } from "./importStudy.ts";

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-behaviour-"));
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true, force: true });
});

it("docs/behaviour.md quotes the sentences and the transitions of the recorded study", async () => {
  const { sweeps } = await importStudy(database, home, join("studies", "behaviour", "webshop.arlarena"));
  const sweepIds = sweeps.map(({ id }) => id);
  const text = (await readFile(join("docs", "behaviour.md"), "utf8")).replaceAll(/\s+/g, " ");
  for (const by of divisions) {
    const { sentence = "", table } = await answer(database, "behaviour", { sweepIds, by, depth: 8, threshold: 0.03 });
    expect(text).toContain(sentence);
    for (const note of table.notes.slice(0, 2)) expect(text).toContain(note);
  }
}, 60_000);
