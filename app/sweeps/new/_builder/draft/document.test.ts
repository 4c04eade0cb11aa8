import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { methodNames } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { initialState, reduceBuilder, type BuilderState } from "./builderState.ts";
import { checkFile, toFile } from "./check.ts";
import { setMethods, toggleMethod } from "./edits.ts";
import { allFields } from "./fields.ts";
import { fillFrom, toggleLevel } from "./levels.ts";
import { setSetting, textOf } from "./settings.ts";
import { emptyFile, setIn, taskIn, type Part } from "./sweepFile.ts";
import { readSeeds } from "#app/_components/setting/texts.ts";
import { readText, writeText } from "#server/domain/plan/sweep/file/yamlText.ts";

const folder = "public/presets";
const presets = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => [name, readFileSync(`${folder}/${name}`, "utf8")] as const);

const fileOf = (text: string): Part => {
  const { file, issues } = readText(text);
  if (!file) throw new Error(JSON.stringify(issues));
  return file;
};
const commentsOf = (text: string) => text.split("\n").flatMap((line) => /#.*$/.exec(line)?.[0].trimEnd() ?? []);

test("there are at least 40 presets, most with comments", () => {
  expect(presets.length).toBeGreaterThanOrEqual(40);
  expect(presets.filter(([, text]) => commentsOf(text).length > 0).length).toBeGreaterThan(20);
});

test.each(presets)("%s goes YAML → form → YAML → form unchanged, with its comments", (_, text) => {
  const file = fileOf(text);
  const { valid, issues } = checkFile(file);
  expect(issues).toEqual([]);
  const plan = parsePlan(text);
  expect(valid?.plan).toEqual(plan);
  expect(writeText(text, file)).toBe(text);
  expect(fileOf(writeText("", toFile(plan)))).toEqual(toFile(plan));

  const seeds = file["seeds"];
  const edited = setSetting({ ...file, seeds: [41, 42] }, "optimizer.warmupIterations", "1e-");
  const other = writeText(text, edited);
  expect(fileOf(other)).toEqual(edited);
  expect(commentsOf(other).toSorted()).toEqual(commentsOf(text).toSorted());
  const back = writeText(other, setSetting({ ...edited, seeds }, "optimizer.warmupIterations", ""));
  expect(fileOf(back)).toEqual(file);
  expect(commentsOf(back).toSorted()).toEqual(commentsOf(text).toSorted());
});

test("only what changes is written anew: comments, order, quotes and anchors stay", () => {
  const text = `# Question of the week
name: "Rooms" # quoted
seeds: [0, 1]
environments:
  # small
  - &room { id: sokoban, size: 6 }
  # large
  - { id: sokoban, size: 8 } # slow
methods:
  - grpo
  - gspo # with sequences
base:
  evaluation:
    elsewhere:
      - environment: *room
`;
  const file = fileOf(text);
  const larger = setIn(setIn(file, ["environments", 0, "size"], 7), ["methods"], ["gspo"]);
  expect(writeText(text, larger)).toBe(
    text
      .replace("size: 6", "size: 7")
      .replace("  - grpo\n", "")
      .replace("environment: *room", "environment:\n          id: sokoban\n          size: 6"),
  );
  const fewer = setIn(file, ["environments"], [file["environments"]].flat().slice(1));
  expect(writeText(text, fewer)).toContain("# slow");
  expect(fileOf(writeText(text, fewer))).toEqual(fewer);
});

test.each(allFields().filter(({ kind }) => kind === "number"))(
  "nonsense typed into $path is kept, named beside the field, and stands in the YAML",
  (field) => {
    for (const typed of ["1e-", "0.1, x", "two"]) {
      const file = setSetting({ ...emptyFile, methods: ["grpo"] }, field.path, typed);
      expect(textOf(file, field.path)).toBe(typed);
      const read = readText(writeText("", file));
      expect(read.file).toEqual(file);
      const { issues, problems } = checkFile(file);
      const issue = issues.find((one) => one.field === `base.${field.path}`);
      expect(issue?.message).toMatch(/is not a number/);
      const line = read.lineOf(problems.find(({ message }) => message === issue?.message)?.path ?? []) ?? 0;
      expect(writeText("", file).split("\n")[line - 1]).toContain(typed);
    }
  },
);

const shownOf = ({ now }: BuilderState): string => (now.isBroken ? now.text : writeText(now.text, now.file));

/** Makes the next random edit of the form; returns the changed file. */
function editForm(file: Part, pick: (n: number) => number): Part {
  const fields = allFields();
  const field = fields[pick(fields.length)];
  const texts = [
    "",
    "1e-",
    "0.1",
    "1, 2",
    "off",
    "x y",
    "true",
    "3e-4; 1e-3",
    field?.kind === "choice" ? (field.options[0] ?? "") : "7",
  ];
  const method = methodNames[pick(methodNames.length)] ?? "grpo";
  switch (pick(7)) {
    case 0:
      return toggleMethod(file, method);
    case 1:
      return setMethods(file, methodNames.slice(0, pick(4)));
    case 2:
      return fillFrom(file, method);
    case 3:
      return toggleLevel(file, "clipping", "token");
    case 4:
      return { ...file, seeds: readSeeds(["0-3", "0-", "5, 7", "x"][pick(4)] ?? "") };
    case 5: {
      const all = [file["environments"] ?? []].flat();
      return pick(2) === 0
        ? { ...file, environments: all.slice(1) }
        : setIn(file, ["environments"], [...all, { id: "webshop" }]);
    }
    default:
      return field ? setSetting(file, field.path, texts[pick(texts.length)] ?? "") : file;
  }
}

/** Makes the next random edit of the YAML text. */
function editText(text: string, pick: (n: number) => number): string {
  const lines = text.split("\n");
  const at = pick(lines.length);
  switch (pick(5)) {
    case 0:
      return lines.toSpliced(at, 0, `# note ${pick(1000)}`).join("\n");
    case 1:
      return lines.toSpliced(at, 1).join("\n");
    case 2:
      return text.replace(/: \d\S*$/m, ": 1e- # unfinished");
    case 3:
      return `${text}description: about ${pick(9)}\n`;
    default:
      return `${text}name: [\n`;
  }
}

test.each(
  isSoak
    ? [
        [200, 2],
        [200, 3],
      ]
    : [[60, 1]],
)(
  "%i random edits in turn in both views are undone to the identical text, seed %i",
  { tags: inBoth },
  (numEdits, seed) => {
    const random = split(seed, "edits");
    const pick = (n: number) => Math.floor(random.next() * n);
    const start = presets.find(([name]) => name === "four-dimensions.yaml")?.[1] ?? "";
    const type = (state: BuilderState, text: string) =>
      reduceBuilder(state, { do: "type", text, file: readText(text).file, atMs: 0 });
    let state = type(initialState(), start);
    const shown = [shownOf(initialState()), start];
    for (let i = 0; i < numEdits; i++) {
      if (state.now.isBroken || i % 2 === 1) {
        // Half of the texts that are no YAML are mended by typing on.
        const typed =
          state.now.isBroken && pick(2) === 0
            ? (shown.findLast((text) => readText(text).file) ?? "")
            : editText(shownOf(state), pick);
        state = type(state, typed);
        expect(shownOf(state)).toBe(typed);
      } else {
        state = reduceBuilder(state, { do: "edit", file: editForm(state.now.file, pick), atMs: 0 });
        expect(fileOf(shownOf(state))).toEqual(state.now.file);
      }
      expect(Array.isArray(checkFile(state.now.file).issues)).toBe(true);
      shown.push(shownOf(state));
    }
    expect(shown).toHaveLength(numEdits + 2);
    const last = state;
    for (const text of shown.slice(0, -1).toReversed()) {
      state = reduceBuilder(state, { do: "undo" });
      expect(shownOf(state)).toBe(text);
    }
    expect(reduceBuilder(state, { do: "undo" })).toBe(state);
    for (const _ of shown.slice(1)) state = reduceBuilder(state, { do: "redo" });
    expect(state.now).toEqual(last.now);
  },
);

test("text that is no YAML keeps its view; any other text is the form, and changes in quick succession are one step", () => {
  const broken = reduceBuilder(
    { ...initialState(), tab: "yaml" },
    { do: "type", text: "name: [", file: undefined, atMs: 0 },
  );
  expect(reduceBuilder(broken, { do: "open", tab: "form" })).toBe(broken);
  expect(broken.now.file).toBe(emptyFile);
  const typing = ["n", "na", "name: D"].reduce(
    (state, text, i) => reduceBuilder(state, { do: "type", text, file: readText(text).file, atMs: 1000 + i * 100 }),
    broken,
  );
  expect(reduceBuilder(typing, { do: "open", tab: "form" })).toMatchObject({
    tab: "form",
    now: { file: { name: "D" } },
  });
  expect(reduceBuilder(typing, { do: "undo" }).now).toEqual(broken.now);
});

test("starting from a preset can be undone and done again", () => {
  const named = reduceBuilder(initialState(), { do: "edit", file: { ...emptyFile, name: "mine" }, atMs: 5000 });
  const plan = parsePlan(presets[0]?.[1] ?? "");
  const started = reduceBuilder(named, { do: "start", file: toFile(plan) });
  expect(started.now.file["name"]).toBe(plan.name);
  const undone = reduceBuilder(started, { do: "undo" });
  expect(undone.now).toEqual(named.now);
  expect(reduceBuilder(undone, { do: "redo" }).now).toEqual(started.now);
});

test("a preset that arrives after a change of the form replaces nothing", () => {
  const state = initialState();
  const late = { do: "start", file: { ...emptyFile, name: "preset" }, from: state.now } as const;
  expect(reduceBuilder(state, late).now.file["name"]).toBe("preset");
  const typed = reduceBuilder(state, { do: "edit", file: { ...emptyFile, name: "mine" }, atMs: 5000 });
  expect(reduceBuilder(typed, late)).toBe(typed);
});

test("rules, draws and another trainer are in the form's file, though it has no fields for them", () => {
  const text = `name: E
methods: [grpo]
environments: [{id: sokoban}]
base: {trainer: {name: mine, options: {bold: true}}, update: {epochs: 2}}
axes: {update.klPlacement: [loss, reward]}
when: {update.klPlacement: {method: grpo}}
exclude: [{update.klPlacement: reward, rollout.groupSize: 4}]
distributions: {sizes: {kind: choice, of: [4, 8]}}
sample: {count: 3, seed: 5, parameters: {rollout.groupSize: sizes}}
seeds: [0]
`;
  expect(checkFile(fileOf(text)).valid?.plan).toEqual(parsePlan(text));
  expect(checkFile(toFile(parsePlan(text))).valid?.plan).toEqual(parsePlan(text));
});

test("a sweep of W&B is read as a plan, and an empty text as an empty form", () => {
  const text = "method: grid\nparameters: {learning_rate: {values: [0.1, 0.2]}}\n";
  expect(readText(text).file).not.toHaveProperty("parameters");
  expect(readText("").file).toEqual({});
  expect(readText("name: *nowhere\n").issues).toEqual([{ path: "", message: expect.stringContaining("alias") }]);
  expect(writeText("# only a question\n", { name: "A" })).toBe("# only a question\nname: A\n");
  expect(readText("- 1\n").issues).toEqual([{ path: "", message: "must be a map" }]);
  expect(taskIn({ id: "sokoban", base: {} })).toEqual({ id: "sokoban" });
});
