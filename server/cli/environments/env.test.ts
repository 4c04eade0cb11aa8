import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseAnswer } from "./play.ts";
import { answer } from "../program.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-env-"));
afterAll(() => rm(folder, { recursive: true }));

async function perform(...argv: string[]) {
  let written = "";
  const screen = {
    width: undefined,
    height: undefined,
    hasColour: false,
    write: (text: string) => void (written += text),
  };
  return { ...(await answer(["env", ...argv], screen)), written };
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

it("lists every environment with its knobs, bounds and defaults", async () => {
  const { text, json } = await perform();
  expect(text).toMatch(/^sokoban /m);
  expect(text).toMatch(/^ +size +5–10 \(6\) +Room size$/m);
  expect(json["environments"]).toContainEqual(expect.objectContaining({ id: "sokoban", title: "Sokoban" }));
});

describe("playing", () => {
  it("the expert solves the task it is given, turn by turn", async () => {
    const { written, text, json, exitCode } = await perform("sokoban", "--seed", "3", "--split", "seen", "--expert");
    expect(written).toMatch(
      /^Sokoban, task 3 of seen \(seed 65539\), shortest solution \d+, at most 15 turns\nTask: push/,
    );
    expect(written).toMatch(/\n\[1\] (up|down|left|right) {2}reward -?[\d.]+\n#/);
    expect(text).toMatch(/Solved after \d+ turns?, reward [\d.]+$/);
    expect([exitCode, json["isSuccess"], json["seed"]]).toEqual([0, true, 2 ** 16 + 3]);
  });

  it("actions come from a file: bare, as whole responses, invalid ones, and orders", async () => {
    const lines = ["up", "<think> x </think> <action> left </action>", "", "dance", ":undo", ":quit", "down"];
    const { json } = await perform("sokoban", "--set", "size=8", "--actions", await file("a.txt", lines.join("\n")));
    expect(json).toMatchObject({
      environment: { size: 8 },
      ending: "ongoing",
      turns: [
        { action: "up", isActionValid: true, response: "<think> </think> <action> up </action>" },
        { action: "left", isFormatValid: true },
      ],
    });
  });

  it("a program that takes too long is a turn that ran out of time, in a process of its own", async () => {
    const programs = ["from fractions import Fraction\nFraction(3) ** (10 ** 9)", "print(6 * 7)"];
    const lines = programs.map((code) => JSON.stringify(`\`\`\`py\n${code}\n\`\`\``));
    const before = process.cpuUsage();
    const { json } = await perform("tirMath", "--actions", await file("endless.txt", lines.join("\n")));
    const { user, system } = process.cpuUsage(before);
    // Times are in microseconds; the program's limit is four seconds.
    expect(user + system).toBeLessThan(2e6);
    expect(json).toMatchObject({
      turns: [{ isActionValid: true }, { isActionValid: true }],
      observation: expect.stringContaining("42"),
    });
  });

  it("no word but an order is an order", async () => {
    const { json } = await perform("sokoban", "--actions", await file("words.txt", "constructor\ntoString\n"));
    expect(json).toMatchObject({ turns: [{ isActionValid: false }, { isActionValid: false }] });
  });

  it.each([
    [["sokban"], 'there is no environment "sokban"; did you mean sokoban?'],
    [["sokoban", "--set", "size=99"], "--set size: is 99, must be at most 10"],
    [["sokoban", "--set", "big"], "--set big: write KNOB=VALUE"],
    [["sokoban", "--seed", "70000", "--split", "train"], "--seed is 70000, but the split train has tasks 0 to 65534"],
    [["sokoban", "--actions", "/no/such/file"], "there is no file /no/such/file"],
  ])("%j is refused", async (argv, message) => {
    const { text, exitCode } = await perform(...argv);
    expect([exitCode, text]).toEqual([2, expect.stringContaining(message)]);
  });
});

it.each([
  ["go north", { kind: "action", text: "go north" }],
  ["<think> a </think> <action> b </action>", { kind: "response" }],
  ['"one\\ntwo"', { kind: "action", text: "one\ntwo" }],
  [":expert", { kind: "expert" }],
])("%s is read as %j", (line, meant) => expect(parseAnswer(line)).toMatchObject(meant));

it("as a command: standard input without prompts, JSON alone on standard output, no studio needed", async () => {
  const command = join(import.meta.dirname, "../arlarena.mjs");
  const { stdout, code } = await new Promise<{ stdout: string; code: number | null }>((resolve) => {
    const env = { ...process.env, DATABASE_URL: "postgresql://x:y@127.0.0.1:1/z", ARLARENA_HOME: folder };
    const child = execFile(process.execPath, [command, "env", "sokoban", "--json"], { env }, (_, stdout) =>
      resolve({ stdout, code: child.exitCode }),
    );
    child.stdin?.on("error", () => undefined).end("up\ndown\n");
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ seed: 0, split: "train", turns: [{ action: "up" }, { action: "down" }] });
});
