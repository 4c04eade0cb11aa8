import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CommanderError } from "@commander-js/extra-typings";
import { describe, expect, test } from "vitest";
import { answer, makeProgram, toUsage } from "./program.ts";

const screen = { width: undefined, height: undefined, hasColour: false, write: () => {} };
const doNothing = { perform: async () => {}, performInStudio: async () => {} };
const toArgv = (line: string) => (line === "" ? [] : line.split(" "));

/** Returns the parsed words, operands and options of a command. */
async function parse(line: string) {
  const program = makeProgram(doNothing);
  let parsed: unknown;
  program.hook("preAction", (_, command) => {
    const group = command.parent?.parent ? `${command.parent.name()} ` : "";
    parsed = [group + command.name(), ...command.processedArgs, command.opts()];
  });
  await program.parseAsync(toArgv(line), { from: "user" });
  return parsed;
}

const sizes = { episodes: 128, groupSize: 8, heldOut: 128 };
const statsOptions = { level: 0.95, resamples: 10_000, seed: 0 };

describe("commands", () => {
  test.each([
    ["sweep run a.yaml", ["sweep run", "a.yaml", {}]],
    ["sweep run - --watch --name N", ["sweep run", "-", { watch: true, name: "N" }]],
    ["import a b --seed 3 --group-size 4", ["import", ["a", "b"], { ...sizes, seed: 3, groupSize: 4 }]],
    ["--json sweeps", ["sweeps", {}]],
    ["sweeps --json --home h", ["sweeps", {}]],
    ["runs", ["runs", undefined, {}]],
    ["runs s", ["runs", "s", {}]],
    ["cancel s-c0-s1", ["cancel", "s-c0-s1", {}]],
    ["end s-c0-s1 --finished", ["end", "s-c0-s1", { finished: true }]],
    ["delete s --yes", ["delete", "s", { yes: true }]],
    ["table s", ["table", ["s"], { kind: "final", format: "markdown" }]],
    ["table s --kind stability --format json", ["table", ["s"], { kind: "stability", format: "json" }]],
    [
      "table s --format=latex --metric policy/kl",
      ["table", ["s"], { kind: "final", format: "latex", metric: "policy/kl" }],
    ],
    ["table verify 0123abcd", ["table verify", "0123abcd", {}]],
    ["paper list", ["paper list", {}]],
    ["paper table3 --watch", ["paper", "table3", { scale: "embedded", format: "markdown", watch: true }]],
    [
      "paper figure3 --scale llm --from a b --format csv",
      ["paper", "figure3", { scale: "llm", from: ["a", "b"], format: "csv" }],
    ],
    ["objective batch.json", ["objective", "batch.json", {}]],
    ["detect log --held-out 64", ["detect", "log", { ...sizes, heldOut: 64 }]],
    ["stats f", ["stats", "f", statsOptions]],
    [
      "stats f --test mann-whitney --level .9 --rule r",
      ["stats", "f", { ...statsOptions, test: "mann-whitney", level: 0.9, rule: "r" }],
    ],
    ["env", ["env", undefined, {}]],
    ["env sokoban", ["env", "sokoban", {}]],
    [
      "env sokoban --seed 3 --split unseen --set size=8 --set numBoxes=2 --expert",
      ["env", "sokoban", { seed: 3, split: "unseen", set: ["size=8", "numBoxes=2"], expert: true }],
    ],
    ["env sokoban --actions a.txt", ["env", "sokoban", { actions: "a.txt" }]],
    ["watch s", ["watch", "s", {}]],
    ["pause s", ["pause", "s", {}]],
    ["resume s", ["resume", "s", {}]],
    ["seeds s", ["seeds", "s", {}]],
    ["seeds s --add 2", ["seeds", "s", { add: 2 }]],
    ["seeds s --undo", ["seeds", "s", { undo: true }]],
    ["search s", ["search", "s", {}]],
    ["check s-c0-s1", ["check", "s-c0-s1", {}]],
    ["nodes", ["nodes", {}]],
    ["priority s", ["priority", "s", {}]],
    ["priority s --sooner 2h", ["priority", "s", { sooner: 120 }]],
    ["priority s --later 1d", ["priority", "s", { later: 1440 }]],
    ["token", ["token", "trainer", { scopes: ["track"] }]],
    ["token t --revoke", ["token", "t", { scopes: ["track"], revoke: true }]],
    ["token ci --scopes read,write --days 30", ["token", "ci", { scopes: ["read", "write"], days: 30 }]],
    ["sign-in", ["sign-in", undefined, {}]],
  ])("%s is read", async (line, parsed) => expect(await parse(line)).toEqual(parsed));

  test.each([
    ["swep run a.yaml", "unknown command 'swep' (Did you mean sweep?)"],
    ["sweep rnu a.yaml", "unknown command 'rnu' (Did you mean run?)"],
    ["signin", "(Did you mean sign-in?)"],
    ["fly", "unknown command 'fly'; npx arlarena help lists the commands"],
    ["sweeps --jsn", "unknown option '--jsn' (Did you mean --json?)"],
    [
      "priority s --sooner soon",
      "option '--sooner <TIME>' argument 'soon' is invalid. Write a time such as 30m, 2h or 1d",
    ],
    ["priority s --sooner 1h --later 1h", "'--later <TIME>' cannot be used with option '--sooner <TIME>'"],
    ["token --scopes all", 'Write scopes separated by commas, of track, read, write, administer, not "all"'],
    ["token --days 0", 'Write the days as a whole number from 1 to 3650, not "0"'],
    ["sweep run", "missing required argument 'FILE.yaml'"],
    ["sweeps now", "too many arguments for 'sweeps'. Expected 0 arguments but got 1"],
    ["sweeps --watch", "unknown option '--watch'"],
    ["table s --format pdf", "argument 'pdf' is invalid. Allowed choices are latex, markdown, html, csv, json"],
    [
      "table s --kind collapse",
      "argument 'collapse' is invalid. Allowed choices are final, beforeAfter, tasks, stability",
    ],
    ["paper table3 --search --watch", "option '--search' cannot be used with option '--watch'"],
    ["paper table3 --scale large", "Allowed choices are embedded, llm"],
    ["paper", "missing required argument 'TABLE|FIGURE'"],
    ["env --seed 3", "env needs a NAME"],
    ["env sokoban up", "too many arguments for 'env'"],
    ["env sokoban --seed one", "argument 'one' is invalid. Write a whole number from 0 to"],
    ["env sokoban --split test", "Allowed choices are train, seen, unseen"],
    ["env sokoban --expert --actions a", "option '--actions <FILE>' cannot be used with option '--expert'"],
    ["delete s", "required option '--yes' not specified"],
    ["seeds s --add 0", "argument '0' is invalid. Write a whole number from 1"],
    ["seeds s --add 1 --undo", "cannot be used with option '--undo'"],
  ])("%s is refused as words, with what would be right", async (line, message) => {
    const { text, json, exitCode } = await answer(toArgv(line), screen);
    expect([exitCode, text]).toEqual([2, expect.stringContaining(message)]);
    expect(json).toMatchObject({ error: { code: "bad_input", message: expect.stringContaining(message) } });
  });
});

describe("help", () => {
  test.each(["", "--help", "help", "--json"])("'%s' lists every command with its operands", async (line) => {
    const { text, json, exitCode } = await answer(toArgv(line), screen);
    expect([exitCode, json]).toEqual([0, { help: expect.stringContaining("Exit code: 0 done") }]);
    for (const command of makeProgram(doNothing).commands) {
      expect(text).toMatch(new RegExp(`^ {2}${toUsage(command).replaceAll(/[[\]|.]/g, "\\$&")} {2}`, "m"));
      expect(command.description()).not.toBe("");
    }
  });

  test("of a group without one of its commands is printed, as words that are not understood", async () => {
    const { text, json, exitCode } = await answer(["people"], screen);
    expect([exitCode, text]).toEqual([2, expect.stringMatching(/^Usage: .*invite \[options\]/s)]);
    expect(json).toMatchObject({ error: { code: "bad_input", message: expect.stringContaining("is missing") } });
  });

  test("of one command has its options, whichever way it is asked for", async () => {
    const { text } = await answer(["help", "table"], screen);
    expect(text).toContain("--kind <KIND>");
    expect((await answer(["table", "--help"], screen)).text).toBe(text);
  });

  test("the version is the package's", async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8"));
    expect(await answer(["--version"], screen)).toEqual({ text: version, json: { version }, exitCode: 0 });
  });
});

test("the pages name commands and options that exist", async () => {
  const root = join(import.meta.dirname, "../..");
  const docs = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const pages = ["README.md", ...docs.map((name) => `docs/${name}`)];
  const texts = await Promise.all(pages.map((page) => readFile(join(root, page), "utf8")));
  const lines = texts.flatMap((text) =>
    [...text.matchAll(/npx arlarena ([^`#\n;:|]+)/g)].map(([, line = ""]) => line.trim()),
  );
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) {
    const argv = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);
    const program = makeProgram(doNothing).exitOverride();
    // A command's name without arguments is only a mention, and --help ends the parsing.
    if (argv[0] === "--help" || isMention(program, argv)) continue;
    const parsed = program.parseAsync(argv, { from: "user" });
    await parsed.catch((error: unknown) => {
      throw new Error(`npx arlarena ${line}: ${error instanceof CommanderError ? error.message : String(error)}`);
    });
  }
});

/** True if the words are only the name of a command or of one of its subcommands. */
function isMention(command: Named, words: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return true;
  const found = command.commands.find((one) => one.name() === word);
  return found !== undefined && isMention(found, rest);
}

type Named = { name: () => string; commands: readonly Named[] };
