import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type LoggedStep, makeLiveReader, makeNamer, readTrlPlan } from "#packages/trainers";

const inTesting = (name: string) => fileURLToPath(new URL(`testing/${name}`, import.meta.url));
const Recorded = z.object({
  numpy: z.string(),
  evaluated: z.record(z.enum(["number", "dictionary", "dictionaryWithAcc"]), z.array(z.string())),
  lines: z.array(z.string()),
});
const { releases } = z
  .object({ releases: z.record(z.string(), Recorded) })
  .parse(JSON.parse(readFileSync(inTesting("verlLines.json"), "utf8")));
const recorded = Object.entries(releases);

const python = process.env["ARLARENA_VERL_PYTHON"] ?? "";
const trees = process.env["ARLARENA_VERL_TREES"] ?? "";
const missing = "needs ARLARENA_VERL_PYTHON, a Python with verl's packages, and ARLARENA_VERL_TREES, unpacked wheels";

/** Names in a printed line. The numbers depend on the machine. */
const namesIn = (line: string): string[] => line.split(" - ").map((part) => part.replace(/:[^:]*$/, ""));

/** Names that the reader of verl's console finds. */
function readNames(line: string): string[] {
  const found: string[] = [];
  const sink = { add: ({ values }: LoggedStep) => found.push(...Object.keys(values)), unread: () => undefined };
  const stream = makeLiveReader({ dialect: "verlConsole", plan: readTrlPlan([]) }, sink).openStream();
  stream.onLine(line, 1, true);
  stream.end();
  return found;
}

describe.each(recorded)("verl %s", (release, { evaluated, lines }) => {
  it("logs the success rate as `acc`, or as `reward` of a dictionary without `acc`", () => {
    const core = (names: readonly string[]) => names.filter((name) => name.startsWith("val-core/"));
    expect(core(evaluated.number)).toEqual(["val-core/openai/gsm8k/acc/mean@1"]);
    expect(core(evaluated.dictionaryWithAcc)).toEqual(["val-core/openai/gsm8k/acc/mean@1"]);
    expect(core(evaluated.dictionary)).toEqual(["val-core/openai/gsm8k/reward/mean@1"]);
  });

  it("names its success rate so that it is read as the evaluation's", () => {
    const { values } = makeNamer()(Object.fromEntries(evaluated.number.map((name) => [name, 0.5])));
    expect(values["evaluation/successRate"]).toBe(0.5);
  });

  it.skipIf(lines.length === 0)("prints lines that are read to the last number (needs the trainer v1, of 0.9)", () => {
    for (const line of lines) expect(readNames(line)).toEqual(namesIn(line).slice(1));
  });

  it.skipIf(python === "" || trees === "")(`still logs these names (${missing})`, (context) => {
    const tree = join(trees, release);
    if (!existsSync(tree)) context.skip(`${tree} is missing`);
    const { stdout, stderr } = spawnSync(python, [inTesting("recordVerlLines.py"), tree], { encoding: "utf8" });
    // Releases before 0.9 need numpy before 2 and transformers before 5, later releases the newer ones.
    const absent = /^(?:\w+Error): .*(?:AutoModelForVision2Seq|numpy|NumPy).*$/m.exec(stderr)?.[0];
    if (absent !== undefined) context.skip(absent);
    expect(stdout, stderr.slice(-3000)).toContain("RESULT");
    const found = Recorded.extend({ release: z.string() }).parse(
      JSON.parse(stdout.slice(stdout.indexOf("RESULT") + 6)),
    );
    expect(found.release).toBe(release);
    expect(found.evaluated).toEqual(evaluated);
    // Python's sets have no fixed order, and verl computes some times over one.
    const sorted = (all: readonly string[]) => all.map((line) => namesIn(line).toSorted());
    expect(sorted(found.lines)).toEqual(sorted(lines));
  });
});
