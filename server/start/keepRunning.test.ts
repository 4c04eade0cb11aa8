import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backOffMs, keepRunning } from "./keepRunning.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "arlarena-child-"))));
afterAll(() => rm(folder, { recursive: true }));

test("waits longer after each quick end, and never more than half a minute", () => {
  expect([0, 1, 2, 3, 4, 20].map(backOffMs)).toEqual([0, 500, 1000, 2000, 4000, 30_000]);
});

test("starts a service again that ended by itself, and says so", async () => {
  const logPath = join(folder, "crash.log");
  const lines: string[] = [];
  const args = ["-e", "console.log(process.env.WORD); process.exit(3)"];
  const running = keepRunning({ name: "web", args, env: { WORD: "once" }, logPath }, (line) => lines.push(line));
  while (lines.length < 2) await sleep(20);
  await running.stop();
  expect(lines[0]).toContain("web ended (exit code 3); starting it again in 0.5 s");
  expect(await readFile(logPath, "utf8")).toBe("once\nonce\n");
});

test("stops a service that ignores the request to end", async () => {
  const logPath = join(folder, "deaf.log");
  const lines: string[] = [];
  const args = ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"];
  const running = keepRunning({ name: "deaf", args, env: {}, logPath }, (line) => lines.push(line));
  while (!(await readFile(logPath, "utf8").catch(() => "")).includes("up")) await sleep(20);
  await running.stop();
  expect(lines).toEqual([]);
});
