import { canonicalJson, makeContentHash } from "#trainer/spec/canonical.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import type { Cell } from "../cell.ts";
import { badInput, type InputIssue, hasAt, setAt } from "#packages/base";
import type { Translate } from "../translate.ts";
import { checkAxes, labelAxes } from "./axes.ts";
import { listConflicts, type CheckCell, type ConflictList } from "./conflicts.ts";
import { labelEnvironments } from "../labels/labels.ts";
import { taskOf } from "../settings/plannedEnvironment.ts";
import { mergeSettings } from "../merge.ts";
import { countPoints, listPoints, type Note } from "./points.ts";
import { holds } from "../settings/rules.ts";
import type { SweepPlan } from "../schema.ts";
import { countFirstSeeds } from "../../search/searchPlan.ts";
import { checkSearch, startSearch, type PlannedDecision } from "./searchTrials.ts";
import { settleEnvironments, type Settings } from "./settings.ts";
import { maxRuns } from "./widen.ts";
import { checkRules, countVariations, listVariations, variedValues, varyCell } from "./variations.ts";

export type { Cell } from "../cell.ts";

export type Expansion = {
  cells: Cell[];
  /** Runs in launch order: all cells with the first seed, then with the next, to compare methods early. */
  runs: { cellIndex: number; seed: number }[];
  /** Notes for the plan's author: merged cells, settings without effect, policies that start without demonstrations. */
  notes: Note[];
  decisions?: PlannedDecision[];
  /** GPUs of one machine that a run of an external trainer uses; absent if no trainer template states it. */
  gpusPerRun?: number;
  maxNumRuns?: number;
};

/**
 * Expands a plan into cells and runs, in a fixed order: environments × methods and grid points × axes, with the last
 * axis fastest. Equivalent cells are merged and noted; a search contributes its first trials. Throws `bad_input` with
 * field, value and limit.
 * @param translate translates cells to external trainers' settings; if absent, such cells are not checked
 * @param checkCell further checks of a cell
 */
export function expandPlan(plan: SweepPlan, translate?: Translate, checkCell?: CheckCell): Expansion {
  const product =
    countPoints(plan) * plan.environments.length * countVariations(plan) * countTrials(plan) * plan.seeds.length;
  // The number of runs is checked before expansion, with a margin for cells that will be merged.
  if (product > 10 * maxRuns) throw tooManyRuns(product);
  const { points, notes, issues } = listPoints(plan);
  const settled = settleEnvironments(plan, points);
  const problems = [...checkPlan(plan), ...checkRules(plan), ...issues, ...settled.issues];
  if (problems.length > 0) throw badInput(problems);
  const built = buildCells(plan, settled.settings, listConflicts(plan, translate, checkCell));
  const axisProblems = [...built.issues, ...checkAxes(variedValues(plan), built.usedPaths)];
  if (axisProblems.length > 0) throw badInput(axisProblems);
  const searchProblems = checkSearch(plan, built.cells);
  if (searchProblems.length > 0) throw badInput(searchProblems);
  const numRuns = built.cells.length * countTrials(plan) * plan.seeds.length;
  if (numRuns > maxRuns) throw tooManyRuns(numRuns);
  const started = plan.search && startSearch(plan.search, built.cells);
  const { cells } = started ?? built;
  const firstSeeds = plan.search ? plan.seeds.slice(0, countFirstSeeds(plan.search, plan.seeds.length)) : plan.seeds;
  return {
    cells,
    runs: firstSeeds.flatMap((seed) => cells.map(({ index }) => ({ cellIndex: index, seed }))),
    notes: [
      ...notes,
      ...settled.notes,
      ...built.notes,
      ...noteUntaught(cells),
      ...noteDefaults(plan, cells, translate),
      ...noteSearch(plan, built.cells),
    ],
    ...(built.gpus !== undefined && { gpusPerRun: built.gpus }),
    ...(started && { decisions: started.decisions, maxNumRuns: numRuns }),
  };
}

/** Lists the configurations of a plan without its search, each of which is searched separately. */
export function listConfigurations(plan: SweepPlan): Cell[] {
  return expandPlan({ ...plan, search: undefined }).cells;
}

function countTrials({ search }: SweepPlan): number {
  return search?.trials ?? 1;
}

function noteSearch({ search, seeds }: SweepPlan, configurations: readonly Cell[]): Note[] {
  if (search === undefined) return [];
  const numRuns = configurations.length * search.trials * seeds.length;
  const each = configurations.length === 1 ? "" : ` for each of ${configurations.length} configurations`;
  const text = `These are the first trials of a hyperparameter search. The search samples ${search.trials} trials${each} while the sweep runs, at most ${numRuns} runs in total.`;
  return [{ kind: "search", text }];
}

/** Notes cells without demonstrations: their policy succeeds only by chance, and learns nothing without a success. */
function noteUntaught(cells: readonly Cell[]): Note[] {
  const untaught = cells.filter(({ spec }) => spec.initialisation.kind === "scratch").length;
  if (untaught === 0) return [];
  const which =
    untaught === cells.length
      ? "Every cell starts"
      : `${untaught} of ${cells.length} cells ${untaught === 1 ? "starts" : "start"}`;
  return [{ kind: "untaught", text: `${which} without demonstrations: a policy that never succeeds may never learn.` }];
}

function noteDefaults(plan: SweepPlan, cells: readonly Cell[], translate?: Translate): Note[] {
  const trainer = plan.base.trainer?.name;
  const [first] = cells;
  if (trainer === undefined || !first) return [];
  const { budget, evaluation, execution, optimizer, rollout, update } = CellSpec.parse({
    environment: { id: "sokoban" },
    method: methodOf("grpo"),
  });
  const chosen = [...Object.keys(plan.axes ?? {}), ...Object.keys(plan.search?.space ?? {})];
  const isChosen = (path: string): boolean =>
    chosen.includes(path) || plan.environments.some(({ base }) => hasAt(mergeSettings(plan.base, base ?? {}), path));
  const isRead = makeIsRead(first.spec, translate);
  // All settings of `execution` but this one apply only to the built-in trainer.
  const { checkpointEvery } = execution;
  const sections = { rollout, update, optimizer, evaluation, budget, execution: { checkpointEvery } };
  const unset = leavesOf(sections).flatMap(([parts, value]) => {
    const path = parts.join(".");
    return value === null || isChosen(path) || !isRead(path, value)
      ? []
      : [`${path} ${typeof value === "string" ? value : JSON.stringify(value)}`];
  });
  const text = `${trainer} gets the studio's defaults for settings that the plan does not set: ${unset.join(", ")}.`;
  return unset.length === 0 ? [] : [{ kind: "defaults", text }];
}

/** Makes a function that is true for settings that the trainer uses: a change alters the command or is rejected. */
function makeIsRead(spec: CellSpec, translate?: Translate): (path: string, value: unknown) => boolean {
  const command = (cell: CellSpec): string => {
    const translation = translate?.(cell);
    return translation === undefined || translation.problems ? "" : JSON.stringify(translation.argv);
  };
  const today = command(spec);
  return (path, value) => {
    if (today === "" || typeof value !== "number") return true;
    const others = [2 * value, value / 2, value + 1].map((other) => CellSpec.safeParse(setAt(spec, path, other)));
    return others.some(({ data, success }) => success && command(data) !== today);
  };
}

function buildCells(plan: SweepPlan, settings: readonly Settings[], conflicts: ConflictList) {
  const combinations = listVariations(plan);
  const values = variedValues(plan);
  let numExcluded = 0;
  const environmentLabels = labelEnvironments(plan.environments.map(taskOf));
  const cells = new Map<string, Cell>();
  const notes = new Map<string, Note>();
  const usedPaths = new Set<string>();
  // Cells share most of their objects, so the hashes of these parts are cached.
  const specHash = makeContentHash();
  for (const [i, { task, base, points, findField }] of settings.entries()) {
    for (const point of points) {
      const { method, label } = point;
      const cell = CellSpec.parse({ ...base, environment: task, method });
      for (const combination of combinations) {
        const { spec, used, issues } = varyCell(cell, combination, { when: plan.when, label });
        if (issues.length > 0) {
          return { cells: [], notes: [], issues, usedPaths: new Set(Object.keys(values)), gpus: undefined };
        }
        for (const { path } of used) usedPaths.add(path);
        if (plan.exclude.some((condition) => holds(condition, spec, label))) {
          numExcluded += 1;
          continue;
        }
        conflicts.check({ point, spec, used, base, findField });
        const hash = specHash(spec);
        const known = cells.get(hash);
        const parts = [plan.environments.length > 1 ? environmentLabels[i] : "", labelAxes(used, values)];
        const text = parts.filter(Boolean).join(" · ");
        if (known) addNote(notes, noteSameCell(known, label, text));
        else cells.set(hash, { index: cells.size, method: label, label: text, spec, specHash: hash });
        // An axis with a single value is like a setting in `base`, so it may name a field that a method does not have.
        const idle = combination
          .filter(({ path }) => new Set(values[path]).size > 1 && plan.when[path] === undefined)
          .filter((choice) => !used.includes(choice));
        for (const { path } of idle) {
          const text = `${label} has no setting ${path}: all values of this axis give the same cell.`;
          addNote(notes, { kind: "merged", text });
        }
      }
    }
  }
  if (numExcluded > 0) {
    const what = numExcluded === 1 ? "1 combination is" : `${numExcluded} combinations are`;
    addNote(notes, { kind: "dropped", text: `${what} excluded by the rules in \`exclude\`.` });
  }
  return {
    cells: [...cells.values()],
    notes: [...notes.values()],
    issues: conflicts.issues(),
    usedPaths,
    gpus: conflicts.gpus(),
  };
}

function checkPlan({ methods, grid, environments, seeds }: SweepPlan): InputIssue[] {
  const issues: InputIssue[] = [];
  const hasGrid = grid !== undefined && Object.keys(grid).length > 0;
  if (methods.length === 0 && !hasGrid) {
    issues.push({ path: "methods", message: "has 0 entries and there is no grid: add at least one method" });
  }
  for (const [i, seed] of seeds.entries()) {
    if (seeds.indexOf(seed) < i) issues.push({ path: `seeds[${i}]`, message: `seed ${seed} is listed twice` });
  }
  // Environments with equal tasks are duplicates even if their bases differ, because their legend names would be equal.
  const settings = environments.map((environment) => canonicalJson(taskOf(environment)));
  for (const [i, text] of settings.entries()) {
    const first = settings.indexOf(text);
    const message = `has the same settings as environments[${first}]: remove one`;
    if (first < i) issues.push({ path: `environments[${i}]`, message });
  }
  return issues;
}

function noteSameCell(known: Cell, method: string, label: string): Note | undefined {
  // Cells that differ only along an axis without effect have the same label; the note at that axis suffices.
  if (known.method === method && known.label === label) return undefined;
  const name = (m: string, l: string) => (l === "" ? m : `${m} (${l})`);
  const text = `${name(method, label)} is identical to ${name(known.method, known.label)}, which runs only once.`;
  return { kind: "merged", text };
}

function addNote(notes: Map<string, Note>, note: Note | undefined): void {
  if (note) notes.set(note.text, note);
}

function tooManyRuns(numRuns: number): Error {
  const message = `grid has ${numRuns.toLocaleString("en-US")} runs, limit is ${maxRuns.toLocaleString("en-US")}`;
  return badInput([{ path: "", message }]);
}
