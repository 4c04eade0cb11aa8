import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApiToken, readApiToken } from "#server/db/people/apiTokens.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { readTable } from "#server/api/publish/answers.ts";
import { verifyTable } from "#server/api/analysis/proofs.ts";
import { renderReport } from "#server/api/publish/reports/renderReport.ts";
import { callProcedure } from "#server/api/rest/callProcedure.ts";
import { restProcedures } from "#server/api/rest/procedures.ts";
import { makeAnalystHere } from "#server/api/testing/analystHere.ts";
import { insertProvenStudy } from "#server/api/testing/provenStudy.ts";
import type { Context } from "#server/api/trpc.ts";
import { procedureOf, type QuestionId, questionIds, questions } from "#server/domain/analysis/questions.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import type { Table } from "#packages/tables";
import { printAnswer } from "./analyse.ts";

const database = await makeTestDatabase();
const notifications = makeNotifications(database.url);
let context: Context;

beforeAll(async () => {
  await insertProvenStudy(database);
  while (await replayWaiting(database.pool, 200));
  while (await summariseRuns(database.pool, 200));
  const token = await readApiToken(database, await createApiToken(database, { name: "test", scopes: ["read"] }));
  if (!token) throw new Error("a token that was just made is not valid");
  context = { database, notifications, analyst: makeAnalystHere(database), caller: { kind: "token", ...token } };
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

/** Questions about evaluations, branches or metrics that the study lacks. */
const isUnanswered = (id: QuestionId): boolean => "empty" in questions[id];

async function ask(path: string) {
  const search = new URLSearchParams({ sweepIds: JSON.stringify(["main"]) });
  return callProcedure(context, { method: "GET", path, search, body: "" });
}

describe.each(questionIds.filter((id) => !isUnanswered(id)))("the question %s", (id) => {
  const asking = { id, sweeps: ["main"], words: {} };

  it("has one answer in the API, on the command line and in a report", async () => {
    const { status, body } = await ask(procedureOf(id).replace(".", "/"));
    expect(status).toBe(200);
    const { table, longCsv, sentence } = body as { table: Table; longCsv: string; sentence?: string };
    expect(table.rows.length).toBeGreaterThan(0);
    expect(longCsv.split("\r\n").length).toBeGreaterThan(2);
    if (sentence !== undefined) expect(sentence).toMatch(/^[A-Z0-9].*\.$/);
    const printed = await printAnswer(database, { ...asking, format: "json" });
    expect((JSON.parse(printed.text) as Table).provenance.proof).toBe(table.provenance.proof);
    const latex = (await printAnswer(database, { ...asking, format: "latex" })).text;
    expect(latex).toContain("\\toprule");
    const block = ["```analysis", "sweep: main", `question: ${id}`, "```"].join("\n");
    const { html, problems } = await renderReport(database, block);
    expect(problems).toEqual([]);
    expect(html).toContain(table.caption.slice(0, 20));
    expect(html).toContain(`Proof ${table.provenance.proof}`);
  });

  it("has a proof that verifies", async () => {
    const { table } = (await ask(procedureOf(id).replace(".", "/"))).body as { table: Table };
    const { proof = "none", sweepName } = table.provenance;
    expect(sweepName).not.toBe("");
    const verdict = await verifyTable(database, proof, (query, code) => readTable(database, query, code));
    expect(verdict).toMatchObject({ isSame: true, query: { kind: id } });
  });
});

describe.each(questionIds.filter(isUnanswered))("the question %s", (id) => {
  it("says why it has no answer", async () => {
    await expect(printAnswer(database, { id, sweeps: ["main"], words: {}, format: "latex" })).rejects.toThrow(
      "no answer for main: ",
    );
  });
});

it("reads the facts of a question once, also if no metric was chosen", async () => {
  const asked = vi.spyOn(database.pool, "query");
  await printAnswer(database, { id: "final", sweeps: ["main"], words: {}, format: "csv" });
  const reads = asked.mock.calls.filter(([query]) => JSON.stringify(query).includes("planHash"));
  asked.mockRestore();
  expect(reads).toHaveLength(1);
});

it("refuses options that a question does not have, by name", async () => {
  const asking = { id: "survival", sweeps: ["main"], format: "csv" } as const;
  await expect(printAnswer(database, { ...asking, words: { by: "colour" } })).rejects.toThrow("--by");
  await expect(printAnswer(database, { ...asking, words: { baseline: "nobody" } })).rejects.toThrow(
    '--baseline: no group "nobody"; there are ',
  );
  const { problems } = await renderReport(database, "```analysis\nsweep: main\nquestion: survival\nby: colour\n```");
  expect(problems).toEqual([{ line: 4, message: expect.stringContaining('by is "colour"') }]);
});

it("lists the states of runs, which pages read every 15 s, without a table and without proving one", async () => {
  await database.prisma.tableProof.deleteMany();
  const { status, body } = await ask("stability/runs");
  expect({ status, parts: Object.keys(body as object).toSorted() }).toEqual({
    status: 200,
    parts: ["cells", "detectorVersion", "equal", "runs"],
  });
  expect(await database.prisma.tableProof.count()).toBe(0);
});

it("redirects the addresses of the last version", async () => {
  const moved = await ask("stability/rescues");
  expect(moved).toMatchObject({
    status: 308,
    headers: { location: "/api/v1/analysis/rescue?sweepIds=%5B%22main%22%5D" },
  });
  expect((await ask("stability/overview")).headers?.["location"]).toMatch(/^\/api\/v1\/stability\/runs\?/);
  expect(await ask("stability/findings")).toMatchObject({ status: 308 });
  for (const never of ["stability/final", "stability/claims"]) expect((await ask(never)).status, never).toBe(404);
  for (const former of ["audit/entries", "nodes/queue", "run/samples", "run/sample", "nodes/prioritise"]) {
    const { status, headers = {} } = await ask(former);
    expect(status, former).toBe(308);
    expect(restProcedures.has(headers["location"]?.slice(8).split("?")[0] ?? ""), former).toBe(true);
  }
});
