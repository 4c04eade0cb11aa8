// @module-tag soak
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, fetch, FormData } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { isAlive, readPostmaster } from "#server/db/embedded/postmaster.ts";
import { findFreePorts } from "#server/config/freePort.ts";
import { type Installed, installPackage } from "./testing/installedStudio.ts";
import { hostName, isInstalled, prepareCaddy, prepareNginx, proxyUser } from "./testing/serverDocument.ts";

/**
 * The package of `npm pack`, as docs/server.md describes it: installed and started by a user without rights, behind
 * nginx and Caddy with the configurations of that page.
 */

let installed: Installed;
let studio: Awaited<ReturnType<Installed["start"]>>;
const [studioPort = 0, proxyPort = 0, namingPort = 0] = await findFreePorts(3);
const folder = await mkdtemp(join(tmpdir(), "arlarena-proxies-"));

beforeAll(async () => {
  installed = await installPackage();
  const startedMs = performance.now();
  studio = await installed.start(studioPort);
  const [megabytes, seconds, startSeconds] = [
    installed.packageBytes / 1e6,
    installed.installMs / 1000,
    (performance.now() - startedMs) / 1000,
  ].map(Math.round);
  console.log(`package of ${megabytes} MB: installed in ${seconds} s, first page after another ${startSeconds} s`);
}, 1_800_000);
afterAll(async () => {
  await studio.stop();
  await installed.remove();
  await rm(folder, { recursive: true, force: true });
});

const Run = z.object({ id: z.string(), latestIteration: z.number(), status: z.string() });
const listRuns = async (...words: string[]) =>
  z.object({ runs: z.array(Run) }).parse(JSON.parse(await installed.run("arlarena", "runs", ...words, "--json"))).runs;

async function untilTrue(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(500);
}

test("runs the first iteration of Quick look, started by arlarena from the PATH", { timeout: 600_000 }, async () => {
  const preset = join(installed.packageFolder, "public/presets/quick-look.yaml");
  expect(await installed.run("arlarena", "sweep", "run", preset)).toMatch(/8 runs of 4 cells/);
  await untilTrue(async () => (await listRuns()).some(({ latestIteration }) => latestIteration >= 1));
  await installed.run("arlarena", "cancel", "quick-look", "--yes");
  await untilTrue(async () => (await listRuns()).every(({ status }) => ["cancelled", "finished"].includes(status)));
  expect((await fetch(studio.link)).status).toBe(200);
});

test("is installed globally, below a prefix of a user without rights", async () => {
  const run = await installed.installGlobally();
  expect(await run("arlarena", "sweeps")).toContain("Quick look");
  expect(await run("arlarena", "help")).toContain("Controls a running ARLArena Studio (arlarena-studio)");
  expect(await run("arlarena-studio", "--help")).toMatch(/^arlarena-studio \[options\]/);
});

const small = (iterations: number) => `name: Small
methods: [grpo, gspo]
environments: [{ id: sokoban, size: 6, numBoxes: 1, maxTurns: 4 }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 40, epochs: 1 }
  rollout: { numGroups: 2, groupSize: 2, historyLength: 0, maxResponseTokens: 12 }
  evaluation: { every: 100 }
  budget: { iterations: ${iterations} }
seeds: [0]
`;

test(
  "is backed up while the built-in trainer trains; the restored studio trains the runs to their end",
  {
    timeout: 600_000,
  },
  async () => {
    // Enough that a quick machine still trains when the backup has been written.
    const iterations = 200;
    const [plan, file] = [join(folder, "small.yaml"), `${installed.home}.tar.gz`];
    await chmod(folder, 0o755);
    await writeFile(plan, small(iterations));
    await installed.run("arlarena", "sweep", "run", plan);
    const isUnderWay = ({ status, latestIteration }: z.infer<typeof Run>) =>
      status === "running" && latestIteration >= 1;
    await untilTrue(async () => (await listRuns("Small")).every(isUnderWay));
    expect(await installed.run("arlarena", "backup", file)).toContain("It contains secrets.");
    const after = await listRuns("Small");
    expect(after.every(isUnderWay), JSON.stringify(after)).toBe(true);
    await studio.stop();

    try {
      const home = `${installed.home}-restored`;
      const restored = await installed.run("arlarena", "restore", file, "--home", home);
      expect(restored).toContain(`Start it with: arlarena-studio --home ${home}`);
      const second = await installed.start(studioPort, home);
      const ofSecond = () => listRuns("Small", "--home", home);
      await untilTrue(async () => (await ofSecond()).every(({ status }) => status === "finished"));
      for (const { id, latestIteration } of await ofSecond()) {
        expect(latestIteration).toBe(iterations);
        expect(await installed.run("arlarena", "check", id, "--home", home)).toContain(`Run ${id}: complete`);
      }
      await second.stop();
    } finally {
      // The original's trainers went on without their studio, which reads the rest of their logs.
      studio = await installed.start(studioPort);
    }
    await untilTrue(async () => (await listRuns("Small")).every(({ status }) => status === "finished"));
  },
);

/** Lists the processes below a process, by Linux' records. */
function listBelow(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").flatMap((child) => [Number(child), ...listBelow(Number(child))]);
}
const isLinux = process.platform === "linux";

test.runIf(isLinux)(
  "answers on the health address while its database stands still; nothing is restarted (needs Linux)",
  async () => {
    const postmaster = readPostmaster(join(installed.home, "postgres", "data"))?.pid ?? 0;
    expect(postmaster).toBeGreaterThan(1);
    const servers = [postmaster, ...listBelow(postmaster)];
    const services = listBelow(studio.pid).filter((pid) => !servers.includes(pid));
    const page = `http://127.0.0.1:${studioPort}`;
    // The supervisor ends a process that has not answered for 30 s.
    const frozenMs = 40_000;
    for (const pid of servers) process.kill(pid, "SIGSTOP");
    try {
      const body = new URLSearchParams({ token: "none" });
      const signIn = fetch(`${page}/api/sign-in`, { method: "POST", body, headers: { origin: page } });
      // A sign-in that needs a new connection waits for it; an answer would come from the database.
      const answers: number[] = [];
      void signIn.then(({ status }) => answers.push(status)).catch(() => {});
      const slowestMs: number[] = [];
      for (const startMs = Date.now(); Date.now() - startMs < frozenMs; await sleep(500)) {
        const askedMs = performance.now();
        expect(await (await fetch(`${page}/health`, { signal: AbortSignal.timeout(5000) })).text()).toBe("ok\n");
        slowestMs.push(performance.now() - askedMs);
      }
      console.log(`the health address answered within ${Math.round(Math.max(...slowestMs))} ms`);
      expect(
        answers.filter((status) => status < 500),
        "answers of the database",
      ).toEqual([]);
    } finally {
      for (const pid of servers) process.kill(pid, "SIGCONT");
    }
    expect(services.filter((pid) => !isAlive(pid))).toEqual([]);
    expect(isAlive(postmaster)).toBe(true);
    await listRuns();
  },
);

/** Requests through a proxy with a certificate of its own, by the studio's host name. */
const dispatcher = new Agent({
  connect: {
    rejectUnauthorized: false,
    lookup: (_name, _options, answer) => answer(null, [{ address: "127.0.0.1", family: 4 }]),
  },
});
type Init = Parameters<typeof fetch>[1];
const request = (port: number, path: string, init: Init = {}) =>
  fetch(`https://${hostName}:${port}${path}`, { dispatcher, redirect: "manual", ...init });

async function signIn(port: number): Promise<Record<string, string>> {
  const link = (await installed.run("arlarena", "sign-in")).trim();
  const origin = `https://${hostName}:${port}`;
  const body = new URLSearchParams({ token: /token=(\S+)/.exec(link)?.[1] ?? "", next: "/runs" });
  const answer = await request(port, "/api/sign-in", { method: "POST", body, headers: { origin } });
  expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({
    status: 303,
    location: "/runs",
  });
  const cookie = answer.headers.getSetCookie().map((text) => text.split(";", 1)[0]);
  expect(answer.headers.getSetCookie()[0]).toContain("; Secure");
  return { cookie: cookie.join("; "), origin };
}

/** Opens the stream of a page's news and waits for the first of them. */
async function openStream(headers: Record<string, string>) {
  const answer = await request(proxyPort, stream, { headers });
  expect(answer.status).toBe(200);
  if (answer.body === null) throw new Error("no stream");
  const reader = answer.body.getReader();
  for (let read = ""; !read.includes('"all"');) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended after ${read}`);
    read += Buffer.from(value).toString();
  }
  return reader;
}
const stream = "/api/trpc/sweep.onChange?input=%7B%7D";

describe.each([
  { program: "nginx", prepare: prepareNginx },
  { program: "caddy", prepare: prepareCaddy },
])("behind $program", ({ program, prepare }) => {
  const proxies: ChildProcess[] = [];
  beforeAll(async () => {
    if (!isInstalled(program)) return;
    for (const [port, namesPeople] of [[proxyPort, false] as const, [namingPort, true] as const]) {
      const place = join(folder, `${program}-${namesPeople}`);
      const [command = "", ...args] = await prepare({ folder: place, port, studioPort, namesPeople });
      proxies.push(spawn(command, args, { stdio: "ignore" }));
      await untilTrue(async () => (await request(port, "/").catch(() => undefined)) !== undefined);
    }
  });
  afterAll(async () => {
    for (const proxy of proxies) {
      const ended = once(proxy, "exit");
      proxy.kill("SIGTERM");
      await ended;
    }
    await rm(join(installed.home, "people.yaml"), { force: true });
  });
  const needed = `(needs ${program})`;
  const run = test.runIf(isInstalled(program));

  run(`pages ask for a session, and a link signs in ${needed}`, async () => {
    const before = await request(proxyPort, "/sweeps");
    expect(before.status).toBe(307);
    const address = new URL(before.headers.get("location") ?? "", `https://${hostName}:${proxyPort}`);
    expect(address.href).toBe(`https://${hostName}:${proxyPort}/sign-in?next=%2Fsweeps`);
    const page = await request(proxyPort, "/sweeps", { headers: await signIn(proxyPort) });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Quick look");
  });

  run(`events arrive at once, and again after the studio was restarted ${needed}`, async () => {
    const headers = await signIn(proxyPort);
    const before = await openStream(headers);
    await studio.stop();
    while (!(await before.read().catch(() => ({ done: true }))).done);
    expect((await request(proxyPort, stream, { headers })).status).toBe(502);
    studio = await installed.start(studioPort);
    await (await openStream(headers)).cancel();
  });

  run(`a file of 200 MB is received ${needed}`, { timeout: 600_000 }, async () => {
    const form = new FormData();
    const note = "x".repeat(2_000_000);
    const lines = Array.from({ length: 105 }, (_, step) =>
      JSON.stringify({ step, "critic/rewards/mean": step / 105, note }),
    );
    form.set("preview", "yes");
    form.set("files", new Blob(lines.flatMap((line) => [line, "\n"])), "run.jsonl");
    const answer = await request(proxyPort, "/api/import", {
      method: "POST",
      body: form,
      headers: await signIn(proxyPort),
    });
    expect({ status: answer.status, text: (await answer.text()).slice(0, 300) }).toMatchObject({ status: 200 });
  });

  run(`names come from the proxy alone ${needed}`, async () => {
    const people = `proxy:\n  header: X-Forwarded-User\n  from: [127.0.0.1]\n  role: viewer\n`;
    await writeFile(join(installed.home, "people.yaml"), people);
    const forged = { "x-forwarded-user": "eve" };
    expect((await request(proxyPort, "/sweeps", { headers: forged })).status).toBe(307);
    expect((await request(namingPort, "/sweeps", { headers: forged })).status).toBe(401);
    const authorization = `Basic ${Buffer.from(`${proxyUser.name}:${proxyUser.password}`).toString("base64")}`;
    const page = await request(namingPort, "/sweeps", { headers: { ...forged, authorization } });
    expect(page.status).toBe(200);
    const listed = await installed.run("arlarena", "people", "list");
    expect(listed).toMatch(/ada .*viewer/);
    expect(listed).not.toContain("eve");
  });
});
