import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "#server/db/embedded/postmaster.ts";
import { findFreePort } from "#server/config/freePort.ts";
import { backOffMs, keepRunning } from "./keepRunning.ts";

const probe = { kind: "ping" } as const;
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
  const running = keepRunning({ name: "web", args, env: { WORD: "once" }, logPath, probe }, (line) => lines.push(line));
  while (lines.length < 2) await sleep(20);
  await running.stop();
  expect(lines[0]).toContain("web ended (exit code 3); starting it again in 0.5 s");
  expect(await readFile(logPath, "utf8")).toBe("once\nonce\n");
});

test("stops a service that ignores the request to end", async () => {
  const logPath = join(folder, "deaf.log");
  const lines: string[] = [];
  const args = ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"];
  const running = keepRunning({ name: "deaf", args, env: {}, logPath, probe }, (line) => lines.push(line));
  while (!(await readFile(logPath, "utf8").catch(() => "")).includes("up")) await sleep(20);
  await running.stop();
  expect(lines).toEqual([]);
});

test("starts nothing when it is stopped at once", async () => {
  const logPath = join(folder, "early.log");
  const args = ["-e", "console.log('up'); setInterval(() => {}, 1000)"];
  const running = keepRunning({ name: "early", args, env: {}, logPath, probe }, () => {});
  await running.stop();
  expect(await readFile(logPath, "utf8")).toBe("");
});

test("a service whose supervisor was killed while it started ends too", async () => {
  const preload = (name: string) => ["--import", pathToFileURL(join(folder, name)).href];
  const end = ["--import", new URL("endWithParent.mjs", import.meta.url).href];
  // The first module loads for as long as the supervisor takes to die.
  await writeFile(join(folder, "slow.mjs"), "await new Promise((resolve) => setTimeout(resolve, 300));");
  const service = [...preload("slow.mjs"), ...end, "-e", "setInterval(() => {}, 1000)"];
  await writeFile(
    join(folder, "supervisor.mjs"),
    `import { spawn } from "node:child_process";
     const stdio = ["ignore", "ignore", "ignore", "ipc"];
     const child = spawn(process.execPath, ${JSON.stringify(service)}, { detached: true, stdio });
     console.log(child.pid);
     setTimeout(() => process.kill(process.pid, "SIGKILL"), 100);`,
  );
  const supervisor = spawn(process.execPath, [join(folder, "supervisor.mjs")]);
  const [line] = await once(supervisor.stdout, "data");
  const pid = Number(String(line));
  await once(supervisor, "exit");
  const untilMs = Date.now() + 20_000;
  while (isAlive(pid) && Date.now() < untilMs) await sleep(50);
  const isLeft = isAlive(pid);
  if (isLeft) process.kill(pid, "SIGKILL");
  expect(isLeft).toBe(false);
});

const short = { lookMs: 50, answerMs: 2_000, hangMs: 4_000, startMs: 60_000 };
// The service is polled every 50 ms and may take 2 s to respond. A check therefore counts as late after more than twice
// that time.

test("starts a service again whose event loop no longer turns, and leaves one alone that answers", async () => {
  const hangs = "process.once('message', () => setTimeout(() => { for (;;); }, 100)); setInterval(() => {}, 1000)";
  const lives = "setInterval(() => {}, 1000)";
  const run = (name: string, program: string) => {
    const lines: string[] = [];
    const service = { name, args: ["-e", program], env: {}, logPath: join(folder, `${name}.log`), probe };
    return { lines, ...keepRunning(service, (line) => lines.push(line), short) };
  };
  const [hung, alive] = [run("hung", hangs), run("alive", lives)];
  while (hung.lines.length < 2) await sleep(20);
  await Promise.all([hung.stop(), alive.stop()]);
  expect(hung.lines[0]).toMatch(/^hung has not answered for \d+ s; ending it$/);
  expect(hung.lines[1]).toMatch(/^hung ended \(SIGKILL\); starting it again/);
  expect(alive.lines).toEqual([]);
});

test("starts a web server again that takes connections and answers none", async () => {
  const port = await findFreePort();
  const program = `
    let isFirst = true;
    require("node:http").createServer((_, response) => {
      if (!isFirst) for (;;);
      isFirst = false;
      response.end("up");
    }).listen(${port}, "127.0.0.1");`;
  const lines: string[] = [];
  const service = {
    name: "web",
    args: ["-e", program],
    env: {},
    logPath: join(folder, "web.log"),
    probe: { kind: "http", url: `http://127.0.0.1:${port}/` } as const,
  };
  const running = keepRunning(service, (line) => lines.push(line), short);
  while (lines.length < 2) await sleep(20);
  await running.stop();
  expect(lines[0]).toMatch(/^web has not answered for \d+ s; ending it$/);
});
