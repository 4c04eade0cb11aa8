import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { NodesFile } from "#server/domain/fleet/nodes/node.ts";
import { fetchRun } from "./fetch.ts";

const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
const { nodes } = NodesFile.parse({
  nodes: [
    { kind: "local", name: "here", slots: { per: "core", count: 1 } },
    { kind: "ray", name: "cluster", address: "http://127.0.0.1:1", slots: { per: "job", count: 1 } },
    { kind: "ssh", name: "far", host: "127.0.0.1", port: 1, folder: "/far", slots: { per: "core", count: 1 } },
  ],
});

let database: TestDatabase;
let home = "";
beforeAll(async () => {
  database = await makeTestDatabase();
  home = await mkdtemp(join(tmpdir(), "arlarena-fetch-cli-"));
  await insertSweep(database, "s", ["waiting", "training", "local", "ray", "ssh", "forgotten"]);
  const places = { training: "here", local: "here", ray: "cluster", ssh: "far", forgotten: "gone" };
  for (const [runId, node] of Object.entries(places)) {
    await insertAttempt(database, runId, 1);
    await database.prisma.attempt.updateMany({ where: { runId }, data: { node, folder: join(home, runId) } });
    if (runId !== "training") await database.prisma.run.update({ where: { id: runId }, data: { status: "finished" } });
  }
});
afterAll(async () => {
  await database.close();
  await rm(home, { recursive: true });
});

it.each([
  ["waiting", /has no model yet/],
  ["training", /has no model yet/],
  ["local", /ran on here: its files are already in .*local/],
  ["ray", /Ray's Jobs API offers a job's log but no files/],
  ["forgotten", /node gone, which nodes.yaml no longer lists/],
  ["ssh", /far cannot be asked|refused|ssh/i],
  ["nobody", /no run nobody/],
])("a model that cannot be fetched is refused with the reason: %s", async (runId, message) => {
  await expect(fetchRun({ database, home, nodes }, runId, screen)).rejects.toThrow(message);
});
