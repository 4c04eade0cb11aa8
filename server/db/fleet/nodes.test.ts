import { afterAll, expect, it } from "vitest";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { readOpenRuns, startAttempt } from "./decisions.ts";
import { readFullDisks, readMachines, readNodes, saveNodes } from "./nodes.ts";
import { readQueue, setPriority } from "./queue.ts";
import { insertSweep } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const news = { lastContactAtMs: 1000, problem: null, gpus: null, disk: null };
const node = thisMachine(2);

it("keeps what was seen of each node; one that left the file stays while it has jobs", async () => {
  const gpu = {
    index: 0,
    name: "H200",
    driver: "580.65.06",
    utilisation: 0.5,
    memoryUsedMb: 1,
    memoryTotalMb: 2,
    temperatureCelsius: null,
    powerWatts: 312.5,
  };
  const other = { ...node, name: "other", environment: { TOKEN: "secret" } };
  await saveNodes(database, [
    { ...news, node, gpus: [gpu] },
    { ...news, node: other },
  ]);
  expect((await readNodes(database)).map((row) => [row.node.name, row.gpus, row.node.environment])).toEqual([
    ["local", [gpu], {}],
    ["other", null, {}],
  ]);
  await saveNodes(database, [{ ...news, node: other, lastContactAtMs: null, problem: "no answer" }]);
  expect(await readNodes(database)).toMatchObject([
    { node: { name: "other" }, problem: "no answer", lastContactAt: new Date(1000) },
  ]);
  await insertSweep(database, "a", ["a1"]);
  const lease = { node: "local", folder: "", devices: ["1"], slots: ["0", "1"] };
  await startAttempt(database, { runId: "a1", number: 1, jobId: "a1.1", ...lease });
  expect(await readNodes(database)).toMatchObject([
    { node: { name: "local" }, isConfigured: false, leases: [{ runId: "a1", devices: ["1"] }] },
    { node: { name: "other" } },
  ]);
});

it("keeps what trainers told of a node's machines until they tell again", async () => {
  const machine = { host: "a", atMs: 5, providers: { cpu: null, cuda: "no driver" }, isComplete: true, gpus: [] };
  const machines = [{ ...machine, problem: null }];
  await saveNodes(database, [{ ...news, node, machines }]);
  await saveNodes(database, [{ ...news, node }]);
  expect((await readNodes(database)).find((row) => row.node.name === "local")?.machines).toEqual(machines);
  expect((await readMachines(database)).get("local")).toEqual(machines);
  // Simulates a database row that another version of the studio wrote.
  await database.pool.query(`UPDATE node_sighting SET machines = '[{"host": 1}]' WHERE name = 'local'`);
  expect((await readMachines(database)).get("local")).toEqual([]);
});

it("keeps how busy a machine was at the last look", async () => {
  const processor = { numCores: 2, load: 0.5, memoryUsedBytes: 1e9, memoryTotalBytes: 4e9 };
  await saveNodes(database, [{ ...news, node, processor }]);
  expect((await readNodes(database)).find((row) => row.node.name === "local")?.processor).toEqual(processor);
  await saveNodes(database, [{ ...news, node }]);
  expect((await readNodes(database)).find((row) => row.node.name === "local")?.processor).toBeNull();
});

it("keeps how much room each node's disk has, and names the full ones in use", async () => {
  const disk = { freeBytes: 3e12, totalBytes: 4e12, isFull: false };
  const full = { freeBytes: 1e6, totalBytes: 4e8, isFull: true };
  await saveNodes(database, [
    { ...news, node, disk },
    { ...news, node: { ...node, name: "other" }, disk: full },
  ]);
  expect((await readNodes(database)).map((row) => row.disk)).toEqual([disk, full]);
  expect(await readFullDisks(database)).toEqual([{ node: "other", freeBytes: 1e6 }]);
  await saveNodes(database, [{ ...news, node }]);
  expect(await readFullDisks(database)).toEqual([]);
});

it("gives no slot away twice", async () => {
  await insertSweep(database, "b", ["b1", "b2"]);
  const ask = (runId: string, devices: string[]) =>
    startAttempt(database, {
      runId,
      number: 1,
      jobId: `${runId}.1`,
      node: "gpu",
      folder: "",
      devices,
      slots: ["0", "1"],
    });
  const outcomes = await Promise.all([ask("b1", ["0", "1"]), ask("b2", ["1"])]);
  expect(outcomes.filter(Boolean)).toHaveLength(1);
});

it("orders runs by the age of their sweep less its priority", async () => {
  const turns = async () => {
    const ids = (await readOpenRuns(database, { isRoom: true }))
      .map(({ runId }) => runId)
      .filter((id) => /^[cde]/.test(id));
    expect((await readQueue(database)).map(({ sweepId }) => sweepId).filter((id) => /^[cde]/.test(id))).toEqual([
      ...new Set(ids.map((id) => id[0])),
    ]);
    return ids.join(" ");
  };
  for (const id of ["c", "d", "e"]) {
    await insertSweep(database, id, [`${id}1`, `${id}2`]);
    const createdAt = new Date(Date.parse("2026-01-01") + id.charCodeAt(0) * 3600_000);
    await database.prisma.sweep.update({ where: { id }, data: { createdAt } });
  }
  expect(await turns()).toBe("c1 c2 d1 d2 e1 e2");
  expect(await setPriority(database, "e", 61)).toBe(61);
  expect(await turns()).toBe("c1 c2 e1 e2 d1 d2");
  expect(await setPriority(database, "d", "front")).toBe(61);
  expect(await turns()).toBe("d1 d2 c1 c2 e1 e2");
  await expect(setPriority(database, "nobody", 1)).rejects.toThrow("there is no sweep nobody");
});

it("leaves out steady runs that are running, wanted and past their first iteration", async () => {
  await insertSweep(database, "s", ["s1", "s2", "s3", "s4"]);
  const store = (id: string, data: object) => database.prisma.run.update({ where: { id }, data });
  await store("s1", { status: "running", latestIteration: 3 });
  await store("s2", { status: "running", latestIteration: 0 });
  await store("s3", { status: "running", latestIteration: 3, intent: "cancel" });
  await store("s4", { status: "running", latestIteration: 3, reason: "disk_full" });
  const steady = ["s1", "s2", "s3", "s4"];
  const ids = async (asked: object) =>
    (await readOpenRuns(database, { isRoom: true, ...asked })).map(({ runId }) => runId).filter((id) => id[0] === "s");
  expect(await ids({})).toEqual(steady);
  expect(await ids({ steady })).toEqual(["s2", "s3", "s4"]);
  await database.prisma.sweep.update({ where: { id: "s" }, data: { intent: "cancel" } });
  expect(await ids({ steady })).toEqual(steady);
});
