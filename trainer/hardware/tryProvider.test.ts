import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { Machine, machineMark } from "#trainer/spec/machine.ts";
import { writePrograms } from "./testing/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-try-"));
afterAll(() => rmSync(folder, { recursive: true }));
const root = join(import.meta.dirname, "../..");

/** Source of a trainer whose providers fail as broken drivers do. Without an argument it tries all of them. */
const strangeTrainer = `
import { answerMark, beginMark, tryProvider, tryingOption } from "${join(root, "trainer/hardware/tryProvider.ts")}";
const [option, name] = process.argv.slice(2);
if (option !== tryingOption) {
  const names = ["works", "refuses", "hangs", "aborts", "answersAndAborts", "isSilent"];
  const patience = { answerMs: 1000, startMs: 120_000 };
  const trials = await Promise.all(names.map(async (each) => [each, await tryProvider(each, patience)]));
  console.log(JSON.stringify(Object.fromEntries(trials)));
} else {
  console.log(beginMark);
  if (name === "works") console.log(answerMark);
  else if (name === "refuses") console.log(\`some library's words\\n\${answerMark}there is no device. And more\`);
  else if (name === "hangs") setInterval(() => undefined, 1000);
  else if (name === "aborts") process.abort();
  else if (name === "answersAndAborts") {
    console.log(answerMark);
    process.abort();
  }
}
`;

async function run(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = ["--import", "tsx", resolve(root, file), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: root,
    env: { ...process.env, ...env },
  });
  return stdout;
}

it("outlives providers that hang or end their process, and says so of each", async () => {
  const path = join(folder, "strangeTrainer.mts");
  writeFileSync(path, strangeTrainer);
  expect(JSON.parse(await run(path, []))).toEqual({
    works: { why: null, isLate: false },
    refuses: { why: "there is no device", isLate: false },
    hangs: { why: "it gave no answer within 1 s", isLate: true },
    aborts: { why: "it ended the process that tried it (SIGABRT)", isLate: false },
    answersAndAborts: { why: null, isLate: false },
    isSilent: { why: "the process that tried it said nothing", isLate: false },
  });
});

it("finds providers and GPUs of this machine, and keeps what it found", { tags: "soak" }, async () => {
  const gpu = 'echo "0, 580.65.06, 143771, 11444, 37, 41, 312.55, NVIDIA H200"';
  const env = {
    PATH: writePrograms(join(folder, "bin"), { "nvidia-smi": gpu }),
    ARLARENA_GRAPH_CACHE: join(folder, "graphs"),
    ARLARENA_TRAINER_HASH: "abc",
    ARLARENA_CUDA: join(folder, "nothing here"),
  };
  const look = async () => {
    const line = (await run("trainer/run/main.ts", ["--look"], env)).trim();
    return Machine.parse(JSON.parse(line.slice(machineMark.length)));
  };
  const machine = await look();
  expect(machine).toMatchObject({
    host: hostname(),
    providers: { cpu: null, cuda: expect.stringMatching(/^ARLARENA_CUDA: ENOENT/) },
    isComplete: true,
    gpus: [{ index: 0, name: "NVIDIA H200", driver: "580.65.06", memoryTotalMb: 143_771 }],
    problem: null,
  });
  expect((await look()).atMs, "not looked again").toBe(machine.atMs);
  // Simulates a later boot of the machine, or a different trainer.
  const path = join(folder, "graphs/machines", `${hostname()}.json`);
  const kept: unknown = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...Object(kept), key: "another" }));
  expect((await look()).atMs).toBeGreaterThan(machine.atMs);
});
