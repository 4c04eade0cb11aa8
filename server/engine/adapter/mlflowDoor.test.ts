import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openJournal, type LocalJournal } from "#server/engine/trainers/journal.ts";
import { makeJournalStore } from "./journalStore.ts";
import { makeMeasurements } from "./measurements.ts";
import { openMlflowDoor, type MlflowDoor } from "./mlflowDoor.ts";

let folder = "";
let journal: LocalJournal;
let door: MlflowDoor;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-door-"));
  const writer = { specHash: "hash", code: "test", pid: 1, firstIteration: 1 };
  journal = await openJournal(join(folder, "events.jsonl"), writer);
  const measurements = makeMeasurements(journal);
  door = await openMlflowDoor(makeJournalStore({ runId: "run", artifactFolder: folder, journal, measurements }));
});
afterEach(async () => {
  await door.close();
  await journal.close();
  await rm(folder, { recursive: true, force: true });
});

async function send(body: string) {
  const { MLFLOW_TRACKING_URI: address = "", MLFLOW_TRACKING_TOKEN: token = "" } = door.environment;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${address}/api/2.0/mlflow/runs/log-batch`, { method: "POST", headers, body });
  return { status: response.status, body: await response.json() };
}

const message = `{"run_id": "run", "metrics": [{"key": "kl", "value": Infinity, "step": 3, "timestamp": 5}]}`;

it("reads numbers that are not finite as Python writes them, in a message of up to 16 MB", async () => {
  expect(await send(message.padEnd(16 * 1024 * 1024, " "))).toEqual({ status: 200, body: {} });
  expect(journal.read()).toEqual([{ key: "kl", value: Infinity, step: 3, timestampMs: 5 }]);
});

// After a 503, MLflow's clients would repeat a request for minutes.
it("refuses for good what will never be taken: what is longer, and what is no JSON", async () => {
  expect(await send(message.padEnd(17 * 1024 * 1024, " "))).toEqual({
    status: 413,
    body: { error_code: "INVALID_PARAMETER_VALUE", message: "17 MB were sent, the limit is 16 MB" },
  });
  expect(await send("{")).toMatchObject({ status: 400, body: { message: "the message is not valid JSON" } });
  expect(journal.read()).toEqual([]);
});
