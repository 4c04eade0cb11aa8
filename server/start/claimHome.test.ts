import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readStudio, writeStudio } from "#server/config/studio.ts";
import { identifyProcess } from "#server/engine/launchers/processIdentity.ts";
import { claimHome } from "./claimHome.ts";

let home = "";
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), "arlarena-claim-"))));
afterEach(() => rm(home, { recursive: true, force: true }));

test("of several that start at once on a fresh folder one goes on, and the others say who that is", async () => {
  const starts = await Promise.allSettled(Array.from({ length: 8 }, () => claimHome(home)));
  const refused = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
  expect(refused).toHaveLength(7);
  expect(new Set(refused)).toEqual(
    new Set([`AppError: a studio with the state folder ${home} is already starting (process ${process.pid})`]),
  );
  for (const start of starts) if (start.status === "fulfilled") await start.value();
  await (
    await claimHome(home)
  )();
  expect(await readdir(home)).toEqual([]);
});

test("a copy of a running studio's folder is neither claimed nor running", async () => {
  await claimHome(home);
  await writeStudio(home, { pid: process.pid, address: "http://127.0.0.1:1", databaseUrl: "postgresql://x" });
  const copy = join(home, "copy");
  await mkdir(copy);
  for (const name of ["start.json", "studio.json"]) await copyFile(join(home, name), join(copy, name));
  expect(await readStudio(copy)).toBeUndefined();
  await expect(claimHome(copy)).resolves.toBeTypeOf("function");
});

test("a process that was killed holds nothing, and of several that find its claim one goes on", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const identity = await identifyProcess(child.pid ?? 0);
  await writeFile(join(home, "start.json"), JSON.stringify(identity));
  await expect(claimHome(home)).rejects.toThrow(`process ${child.pid}`);
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  const starts = await Promise.allSettled(Array.from({ length: 8 }, () => claimHome(home)));
  expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a claim that its process had no time to write counts as none", async () => {
  await writeFile(join(home, "start.json"), "");
  await expect(claimHome(home)).resolves.toBeTypeOf("function");
});
