import { afterAll, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { askedSchema } from "#server/domain/analysis/questionOptions.ts";
import { questionIds } from "#server/domain/analysis/questions.ts";
import type { AnalysisName } from "#server/domain/analysis/analyses.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { analyse } from "./analyses.ts";

const metric = "evaluation/successRate";
const large = { metrics: [metric, "rollout/successRate"], interval: "bootstrap", change: "points", average: true };
const scope = { sweepIds: ["main", "other", "import"] };
const keys = [metric, "policy/entropy"];
const options = { maxPoints: 800, aggregate: "interval", seeds: true, range: null };

/** Analyses of several runs, each with an example input. */
const asked: Partial<Record<AnalysisName, object>> = {
  ...Object.fromEntries(questionIds.map((id) => [id, askedSchema(id).parse(scope)])),
  builtTable: { ...scope, options: large, wording: {} },
  charts: { scope, keys, options },
  fields: { scope },
  headline: { id: "main" },
  importance: { scope, columns: [], outcome: "", form: "method" },
  progress: { scope, axis: "step" },
  runStudy: { scope, columns: [] },
  tables: { ...scope, metric },
};

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.close())));

/** Stores the study's rows in a random order that depends on a seed; seed 0 is the usual order. */
async function storeIn(order: number): Promise<TestDatabase> {
  const database = await makeTestDatabase();
  databases.push(database);
  const rng = split(order, "order");
  await insertProvenStudy(database, (items) =>
    order === 0
      ? [...items]
      : items
          .map((item) => ({ item, at: rng.next() }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item),
  );
  while (await replayWaiting(database.pool, 200));
  while (await summariseRuns(database.pool, 200));
  return database;
}

/** Formats a result without its time and without row ids, which the database assigns. */
function toText(answer: unknown): string {
  return JSON.stringify(answer, (key, value: unknown) =>
    ["cellId", "cell", "id", "cursor", "hours", "wastedHours", "updatedAt"].includes(key) && typeof value !== "object"
      ? undefined
      : value instanceof Map
        ? [...value]
        : typeof value === "number" && !Number.isFinite(value)
          ? String(value)
          : value,
  );
}

const usual = await storeIn(0);
const others = [await storeIn(1), await storeIn(2)];

it.each(Object.entries(asked))("%s does not depend on the order in which rows were stored", async (name, input) => {
  const expected = toText(await analyse(usual, name as AnalysisName, input));
  for (const other of others) expect(toText(await analyse(other, name as AnalysisName, input))).toBe(expected);
});

it.each(Object.entries(asked).filter(([, input]) => "sweepIds" in input))(
  "%s does not depend on the order in which sweeps are asked for",
  async (name, input) => {
    const backwards = { ...input, sweepIds: scope.sweepIds.toReversed() };
    expect(toText(await analyse(usual, name as AnalysisName, backwards))).toBe(
      toText(await analyse(usual, name as AnalysisName, input)),
    );
  },
);
