import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createCaller } from "#server/api/root.ts";
import { sessionCookie, signSession } from "#server/config/session.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { readAttemptFolder } from "#server/db/runs/runs.ts";
import { createSession } from "#server/db/people/sessions.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { stopServices } from "../../testing/services.ts";
import { serveRoutes } from "./testing/serveRoutes.ts";
import { makeAnalystHere } from "#server/api/testing/analystHere.ts";

/** Tests artifacts over real HTTP: sent and listed as by MLflow's client, downloaded as by the run page. */

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-artifacts-"));
const server = await serveRoutes();
const variables = { ARLARENA_HOME: home, ARLARENA_SESSION_SECRET: "secret of this test" };
const before = Object.keys(variables).map((name) => ({ name, value: process.env[name] }));
const notifications = makeNotifications(database.url);
let token = "";
let cookie = "";

beforeAll(async () => {
  Object.assign(process.env, variables);
  globalThis.arlarenaServices = {
    database: makeDatabase(database.url),
    notifications,
    analyst: makeAnalystHere(database),
  };
  token = await createApiToken(database, { name: "test", scopes: ["track"] });
  const session = { id: await createSession(database, null, new Date()), issuedMs: Date.now() };
  cookie = `${sessionCookie}=${signSession(variables.ARLARENA_SESSION_SECRET, session)}`;
});
afterAll(async () => {
  for (const { name, value } of before) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
  server.close();
  await stopServices();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

type Sent = { status: number; headers: Record<string, unknown>; body: string };

/** Sends a request with its path unchanged: `fetch` would resolve the dots in it. */
function send(method: string, path: string, options: { body?: string; headers?: Record<string, string> } = {}) {
  const headers = options.headers ?? { authorization: `Bearer ${token}` };
  return new Promise<Sent>((resolve, reject) => {
    const sending = request({ host: "127.0.0.1", port: server.port, method, path, headers }, (answer) => {
      const { statusCode: status = 0 } = answer;
      text(answer).then((body) => resolve({ status, headers: answer.headers, body }), reject);
    });
    sending.once("error", reject).end(options.body);
  });
}

const Created = z.object({ run: z.object({ info: z.object({ run_id: z.string() }) }) });
async function createRun(): Promise<string> {
  const body = JSON.stringify({ experiment_id: "0", start_time: 1000 });
  const { body: created } = await send("POST", "/api/2.0/mlflow/runs/create", { body });
  return Created.parse(JSON.parse(created)).run.info.run_id;
}
const door = "/api/2.0/mlflow-artifacts/artifacts";
const save = (id: string, path: string) => send("GET", `/api/runs/${id}/artifacts/${path}`, { headers: { cookie } });

it("an artifact that was sent is listed, got back, shown with its size, and downloaded under its name", async () => {
  const id = await createRun();
  const path = `${door}/0/${id}/artifacts/model/notes%20%C3%BC%3C.html`;
  expect(await send("PUT", path, { body: "<script>" })).toMatchObject({ status: 200, body: "{}" });
  expect(JSON.parse((await send("GET", `${door}?path=0/${id}/artifacts/model`)).body)).toEqual({
    files: [{ path: "notes ü<.html", is_dir: false, file_size: "8" }],
  });
  // Without this response, MLflow's client lists no artifacts.
  const models = await send("POST", "/api/2.0/mlflow/logged-models/search", { body: '{"experiment_ids":["0"]}' });
  expect(models).toMatchObject({ status: 200, body: '{"models":[]}' });
  expect(await send("GET", path)).toMatchObject({ status: 200, body: "<script>" });
  const caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  expect(await caller.run.trackedArtifacts({ id })).toEqual({
    files: [{ path: "model/notes ü<.html", sizeBytes: 8 }],
    numFiles: 1,
  });
  expect(await save(id, "model/notes%20%C3%BC%3C.html")).toMatchObject({
    status: 200,
    body: "<script>",
    headers: {
      "content-type": "application/octet-stream",
      "content-length": "8",
      "content-disposition": `attachment; filename="notes___.html"; filename*=UTF-8''notes%20%C3%BC%3C.html`,
      "x-content-type-options": "nosniff",
    },
  });
});

it("names that look encoded are decoded once", async () => {
  const id = await createRun();
  for (const name of ["50%.txt", "50%25.txt", "%41.txt", "a%2Fb.txt"]) {
    const path = `${door}/0/${id}/artifacts/odd/${encodeURIComponent(name)}`;
    expect((await send("PUT", path, { body: name })).status).toBe(200);
  }
  const { files } = JSON.parse((await send("GET", `${door}?path=0/${id}/artifacts/odd`)).body) as {
    files: { path: string }[];
  };
  expect(files.map(({ path }) => path)).toEqual(["%41.txt", "50%.txt", "50%25.txt", "a%2Fb.txt"]);
  for (const { path } of files) expect(await save(id, `odd/${encodeURIComponent(path)}`)).toMatchObject({ body: path });
});

it("no path leads out of the run's artifacts, and a stranger gets none", async () => {
  const id = await createRun();
  expect((await send("PUT", `${door}/0/${id}/artifacts/kept`, { body: "kept" })).status).toBe(200);
  const folder = await readAttemptFolder(database, id, 1);
  await writeFile(join(home, "secret"), "secret");
  await symlink(join(home, "secret"), join(folder, "artifacts/link"));
  for (const path of ["../events.jsonl", "..%2Fevents.jsonl", "a/%2e%2e/kept", "kept%00"]) {
    expect([path, (await save(id, path)).status]).toEqual([path, 400]);
    expect([path, (await send("PUT", `${door}/0/${id}/artifacts/${path}`, { body: "x" })).status]).toEqual([path, 400]);
  }
  for (const path of ["link", "none", ""]) expect([path, (await save(id, path)).status]).toEqual([path, 404]);
  expect((await save("none", "kept")).status).toBe(404);
  const strange = { headers: { authorization: "Bearer guessed" } };
  expect((await send("GET", `/api/runs/${id}/artifacts/kept`, strange)).status).toBe(401);
  expect((await send("GET", `${door}/0/${id}/artifacts/kept`, strange)).status).toBe(401);
  expect((await save(id, "kept")).body).toBe("kept");
});
