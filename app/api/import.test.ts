import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listSweeps } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { origin, startSession } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";
import { GET, POST } from "./import/route.ts";

/** Tests files posted for import: successes, and refusals with their messages. */

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-import-"));
let cookie = "";
beforeAll(async () => {
  vi.stubEnv("ARLARENA_HOME", home);
  startServices(database.url);
  cookie = await startSession(database, null);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stopServices();
  await database.close();
  await rm(home, { recursive: true });
});

async function send(body: BodyInit, headers: Record<string, string> = {}) {
  const request = new Request(`${origin}/api/import`, {
    method: "POST",
    headers: { host: "localhost:4000", origin, cookie, ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: "half" }),
  });
  const response = await POST(request, { params: Promise.resolve({}) });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

function formOf(
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append("files", new File([content], name));
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

const log = (value: number) => `{"step":1,"loss":${value}}\n{"step":2,"loss":${value / 2}}\n`;

test("files and fields of a form become a sweep, and the disk keeps no copy of the form", async () => {
  const form = formOf({ "grpo_s1.jsonl": log(1), "grpo_s2.jsonl": `${log(2)}--\r\n\r\n` }, { name: "mine", seed: "" });
  expect(await send(form)).toMatchObject({ status: 200, answer: { name: "mine", numRuns: 2 } });
  expect(await readdir(join(home, "uploads"))).toEqual([]);
});

test("a preview shows the runs, and an import takes the changes made there", async () => {
  const files = { "grpo_sokoban_s3.jsonl": log(50), "b.jsonl": log(51) };
  const preview = await send(formOf(files, { preview: "yes" }));
  const run = { name: "grpo_sokoban_s3.jsonl", method: "GRPO", environment: "sokoban", seed: 3, steps: 2 };
  expect(preview).toMatchObject({
    status: 200,
    answer: { runs: expect.arrayContaining([expect.objectContaining(run)]) },
  });
  const edits = { "file grpo_sokoban_s3.jsonl": { method: "GSPO", seed: 5 }, "file b.jsonl": { isLeftOut: true } };
  const made = await send(formOf(files, { edits: JSON.stringify(edits) }));
  const left = [{ file: "b.jsonl", reason: "left out by choice" }];
  expect(made).toMatchObject({ status: 200, answer: { numRuns: 1, left } });
  const [newest] = await database.prisma.run.findMany({
    orderBy: { createdAt: "desc" },
    include: { cell: true },
    take: 1,
  });
  expect([newest?.cell.method, newest?.seed]).toEqual(["GSPO", 5]);
  const blank = { edits: JSON.stringify({ "file b.jsonl": { method: " " } }) };
  expect(await send(formOf(files, blank))).toMatchObject({ status: 400 });
});

test("a file of some megabytes, cut anywhere on its way, arrives byte for byte", async () => {
  const lines = Array.from({ length: 3000 }, (_, step) =>
    JSON.stringify({ step, loss: 1 / (step + 1), note: "x".repeat(900) }),
  );
  const bytes = new Uint8Array(await new Response(formOf({ "large_s0.jsonl": lines.join("\n") })).arrayBuffer());
  const boundary = new TextDecoder().decode(bytes.subarray(2, bytes.indexOf(13)));
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + 4099));
      at += 4099;
    },
  });
  const sent = await send(body, { "content-type": `multipart/form-data; boundary=${boundary}` });
  expect(sent).toMatchObject({ status: 200, answer: { numRuns: 1 } });
  const [{ iterations } = { iterations: 0 }] = await database.prisma.$queryRaw<{ iterations: number }[]>`
    SELECT max(latest_iteration)::int AS iterations FROM run`;
  expect(iterations).toBe(2999);
});

test("of two people's imports at once, the second waits, which only its own person is told", async () => {
  const signIn = async (name: string) => {
    const { id } = await database.prisma.person.create({ data: { name, nameKey: name, role: "editor" } });
    return { host: "localhost:4000", cookie: await startSession(database, id) };
  };
  const [ada, grace] = [await signIn("ada"), await signIn("grace")];
  const isWaiting = async (headers: Record<string, string>) => {
    const answer = await GET(new Request(`${origin}/api/import`, { headers }), { params: Promise.resolve({}) });
    const told: unknown = await answer.json();
    return told;
  };
  // The first import is read once its process has started, which takes a second; the second is sent meanwhile.
  const sent = [send(formOf({ "one_s1.jsonl": log(70) }), ada), send(formOf({ "two_s1.jsonl": log(80) }), grace)];
  const over = Promise.all(sent).then(() => "over" as const);
  let told: unknown[] = [];
  const isTold = () => told.some((one) => JSON.stringify(one) === '{"isWaiting":true}');
  while (!isTold()) {
    told = [await isWaiting(ada), await isWaiting(grace)];
    if ((await Promise.race([over, sleep(5)])) === "over") throw new Error("neither import waited");
  }
  expect(told).toContainEqual({ isWaiting: false });
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
  expect([await isWaiting(ada), await isWaiting(grace)]).toEqual([{ isWaiting: false }, { isWaiting: false }]);
});

test("a run's name with a NUL is read without it, and that is said", async () => {
  const { status, answer } = await send(formOf({ "a.csv": "run,step,loss\nb\0c,1,2\n" }));
  expect([status, answer]).toEqual([
    200,
    expect.objectContaining({ notes: [expect.stringContaining("1 NUL byte was left out, the first in line 2")] }),
  ]);
});

test("beyond 256 MB the limit and the size are named", async () => {
  const headers = { "content-length": String(257 * 1024 * 1024), "content-type": "multipart/form-data; boundary=b" };
  expect(await send("--b--", headers)).toEqual({
    status: 413,
    answer: { problem: "257 MB were sent, the limit is 256 MB" },
  });
});

test.each([
  [
    "a form whose end did not arrive",
    '--b\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\n{"st',
    "incomplete at byte 71",
  ],
  ["no form at all", "hello", "incomplete at byte 5"],
])("%s is refused", async (_, body, problem) => {
  const sent = await send(body, { "content-type": "multipart/form-data; boundary=b" });
  expect(sent).toEqual({ status: 400, answer: { problem: expect.stringContaining(problem) } });
  expect(await readdir(join(home, "uploads"))).toEqual([]);
});

test.each([
  ["a wrong type", "{}", { "content-type": "application/json" }, "files come as multipart/form-data"],
  ["a NUL in the name", formOf({ "a.jsonl": log(3) }, { name: "a\0b" }), {}, "name: has a NUL character at position 1"],
  ["a seed beyond four bytes", formOf({ "a.jsonl": log(3) }, { seed: "4294967296" }), {}, "seed: "],
  [
    "a NUL in a metric",
    formOf({ "a.jsonl": '{"step":1,"lo\\u0000ss":1}' }),
    {},
    "a.jsonl: the metric “lo\\u0000ss” has a NUL",
  ],
  [
    "a step beyond four bytes",
    formOf({ "a.jsonl": '{"step":3000000000,"loss":1}' }),
    {},
    "a.jsonl: 1 line has a step outside 0 to 2147483647",
  ],
  [
    "a torn event file",
    formOf({ "events.out": Uint8Array.from({ length: 40 }, (_, i) => (i === 0 ? 24 : 0)) }),
    {},
    "events.out: damaged at byte 0 (the length of a",
  ],
  ["no file", formOf({}, { name: "x" }), {}, "there is no file to import"],
])("%s is refused with the field and the value, and no sweep remains", async (_, body, headers, problem) => {
  const before = await listSweeps(database);
  const sent = await send(body, headers);
  expect(sent).toEqual({ status: 400, answer: { problem: expect.stringContaining(problem) } });
  expect(await listSweeps(database)).toHaveLength(before.length);
});

test.each([
  { name: "study.arlarena", study: "sokoban", title: "Transfer, Sokoban", size: { numRuns: 15, numCells: 3 } },
  { name: "study.gz", study: "textworld", title: "Transfer, TextWorld", size: { numRuns: 20, numCells: 4 } },
])("a recorded study named $name is imported alone, with its proofs", async ({ name, study, title, size }) => {
  const file = new Uint8Array(await readFile(`studies/transfer/${study}.arlarena`));
  const beside = await send(formOf({ [name]: file, "a.jsonl": log(7) }, { preview: "yes" }));
  const reason = "a recorded study, no log of a trainer: import it alone";
  expect(beside).toMatchObject({ status: 200, answer: { left: [{ file: name, reason }] } });
  const notes = [`Recorded study: ${title}`];
  const seen = await send(formOf({ [name]: file }, { preview: "yes" }));
  expect(seen).toMatchObject({ status: 200, answer: { ...size, notes, runs: [], columns: [], equal: [] } });
  const made = await send(formOf({ [name]: file }));
  const verified = ["1 of 1 table recomputed with the same numbers"];
  expect(made).toMatchObject({ status: 200, answer: { ...size, notes: verified } });
});
