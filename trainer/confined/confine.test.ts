import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { makeConfined } from "./confine.ts";

const hostile = fileURLToPath(new URL("./testing/hostile.ts", import.meta.url));
const args = ["--import", import.meta.resolve("tsx"), hostile];
const confined = makeConfined(args, { cpuMs: 300, wallMs: 30_000, memoryBytes: 3e8 });
const roomy = makeConfined(args, { cpuMs: 600_000, wallMs: 600_000, memoryBytes: 3e8 });
afterAll(() => [confined, roomy].forEach((one) => one.close()));

async function echo(request: unknown): Promise<unknown> {
  const answer = await confined.ask(request);
  return answer.kind === "done" ? answer.value : answer;
}

describe("a confined process", () => {
  it("answers with any value that can be cloned", async () => {
    const value = { nothing: undefined, nan: NaN, half: "\ud800", list: [1, "two"] };
    expect(await echo(value)).toMatchObject({ echo: value });
  });

  it("is the same one from request to request, also after a request that threw", async () => {
    const first = await echo("who");
    await expect(confined.ask("throw")).rejects.toThrow("thrown inside");
    expect(await echo("who")).toEqual(first);
  });

  it.each(["loop", "large integers"])("is ended by the clock: %s", async (request) => {
    expect(await confined.ask(request)).toEqual({ kind: "missed", limit: "time" });
    expect(await echo("next")).toMatchObject({ echo: "next" });
  });

  it("is ended when it waits without computing", async () => {
    const waiting = makeConfined(args, { cpuMs: 600_000, wallMs: 300, memoryBytes: 3e8 });
    expect(await waiting.ask("wait")).toEqual({ kind: "missed", limit: "time" });
  });

  it.each(["one array", "native"])("is ended by its memory: %s", { tags: "soak" }, async (request) => {
    expect(await roomy.ask(request)).toEqual({ kind: "missed", limit: "memory" });
    expect(await roomy.ask("next")).toMatchObject({ kind: "done" });
  });

  it("is replaced where earlier requests filled it: the later one is not to blame", { tags: "soak" }, async () => {
    for (let i = 0; i < 5; i++) expect(await roomy.ask("fill half")).toMatchObject({ kind: "done" });
  });

  it("is not tried again where it was fresh: the request alone fills it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "confine-"));
    const fresh = makeConfined(args, { cpuMs: 600_000, wallMs: 600_000, memoryBytes: 3e8 });
    try {
      const fillAndNote = join(folder, "tries");
      expect(await fresh.ask({ fillAndNote })).toEqual({ kind: "missed", limit: "memory" });
      expect(readFileSync(fillAndNote, "utf8")).toBe("tried\n");
    } finally {
      fresh.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("is killed when nobody waits for it any more", async () => {
    const abort = new AbortController();
    const asked = roomy.ask("loop", abort.signal);
    abort.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
    expect(await roomy.ask("next")).toMatchObject({ kind: "done" });
  });

  it("is named when it cannot be started", async () => {
    const absent = makeConfined(["/nowhere.mjs"], { cpuMs: 1, wallMs: 1, memoryBytes: 3e8 });
    await expect(absent.ask("anything")).rejects.toThrow(/no process for \/nowhere\.mjs: exit code 1/);
  });
});

it("does not outlive the process that asks, killed in the middle of endless work", { tags: "soak" }, async () => {
  const program = `
    import { makeConfined } from ${JSON.stringify(new URL("./confine.ts", import.meta.url).href)};
    const confined = makeConfined(${JSON.stringify(args)}, { cpuMs: 600_000, wallMs: 600_000, memoryBytes: 3e8 });
    const { value } = await confined.ask("who");
    console.log(value.pid);
    await confined.ask("loop");`;
  const asking = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", program],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [printed] = await once(asking.stdout, "data");
  const pid = Number(String(printed));
  await sleep(200);
  asking.kill("SIGKILL");
  while (isAlive(pid)) await sleep(20);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
