import { type ObjectiveBatch, reportObjective } from "#trainer/run/learning/objectiveReport.ts";
import { changesGradientAlone } from "#trainer/spec/conflicts.ts";
import { correctionConflictsOf } from "#trainer/spec/correctionConflicts.ts";
import { correctionOf, isCorrected } from "#trainer/spec/correction.ts";
import { advantageTraits, clippingTraits, signalOf } from "#trainer/spec/traits.ts";
import { readInputFile } from "../../inputFile.ts";
import type { Outcome } from "../../command.ts";
import type { z } from "zod";
import { type Method, methodOf } from "#trainer/spec/method.ts";
import { badInput, formatCount, type InputIssue } from "#packages/base";
import { closeMatches } from "#server/domain/plan/sweep/closeMatches.ts";
import { explainIssue, formatPath } from "#server/domain/plan/sweep/problems.ts";
import { matrixNames, ObjectiveFile } from "./objectiveFile.ts";
import { answerInput } from "../../problem.ts";

/** Evaluates the objective of a batch with training's computation graph, without studio and database. */
export function evaluateBatch(path: string): Promise<Outcome> {
  return answerInput(async () => {
    const file = parseObjective(await readInputFile(path));
    const notes = notesOn(file);
    const json = { ...(await reportObjective(toBatch(file))), ...(notes.length > 0 && { notes }) };
    return { text: toReadableJson(json), json, exitCode: 0 };
  });
}

function toBatch(file: CheckedFile): ObjectiveBatch {
  const { method, mask, ref, sampler, oldEntropy, newEntropy, ages, entropyThreshold, seed } = file;
  const { klCoef, klEstimator, klPlacement, entropyCoef, truncatedImportance, denominatorRows } = file;
  const shape = [mask.length, mask[0]?.length ?? 0] as const;
  const rows = toRows(file);
  return {
    method,
    update: { klCoef, klEstimator, klPlacement, entropyCoef, truncatedImportance, denominatorRows },
    maxResponseTokens: file.maxResponseTokens ?? shape[1],
    seed,
    shape,
    mask: Uint8Array.from(mask.flat()),
    logProbs: flat(file.new),
    oldLogProbs: flat(file.old),
    ...(ref && { referenceLogProbs: flat(ref) }),
    ...(sampler && { samplerLogProbs: flat(sampler) }),
    ...(oldEntropy && { oldEntropies: flat(oldEntropy) }),
    ...(newEntropy && { newEntropies: flat(newEntropy) }),
    ...(entropyThreshold !== undefined && { entropyThreshold }),
    ...(ages && { ages }),
    ...turnsOfTokens(file.turns ?? rows?.map(({ turn }) => turn), shape),
    credit: rows
      ? { kind: "rows", rows, reward: file, ...(file.values && { values: flat(file.values) }) }
      : { kind: "advantages", advantages: givenAdvantages(file, shape[1]) },
  };
}

/** Expands the turn numbers, given as one number or one list per batch row, to a matrix (B, T). */
function turnsOfTokens(turns: CheckedFile["turns"], [, width]: readonly [number, number]): { turns?: number[] } {
  if (!turns) return {};
  return {
    turns: turns.flatMap((ofRow) =>
      Array.from({ length: width }, (_, t) => (typeof ofRow === "number" ? ofRow : (ofRow[t] ?? 0))),
    ),
  };
}

function flat(matrix: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(matrix.flat());
}

function givenAdvantages({ adv, adv_seq = [] }: CheckedFile, width: number): Float64Array {
  return flat(adv ?? adv_seq.map((x) => Array.from({ length: width }, () => x)));
}

function toRows({ rows, mask, oldEntropy }: CheckedFile) {
  if (!rows) return undefined;
  const groups = new Map<string, number>();
  const episodes = new Map<string, { index: number; total: number; numTurns: number }>();
  const placed = rows.map((row, i) => {
    const groupKey = JSON.stringify(row.group);
    const key = JSON.stringify([row.group, row.episode ?? { row: i }]);
    const group = groups.get(groupKey) ?? groups.size;
    groups.set(groupKey, group);
    const episode = episodes.get(key) ?? { index: episodes.size, total: 0, numTurns: 0 };
    episodes.set(key, episode);
    episode.total += row.reward;
    return { row, group, episode, turn: row.turn ?? episode.numTurns++ };
  });
  return placed.map(({ row, group, episode, turn }, i) => {
    const response = (mask[i] ?? []).flatMap((x, t) => (x === 1 ? [oldEntropy?.[i]?.[t] ?? 0] : []));
    return {
      group,
      episode: episode.index,
      turn,
      anchor: row.anchor ?? "",
      reward: row.reward,
      episodeReward: row.episodeReward ?? episode.total,
      isValid: row.isValid,
      numTokens: response.length,
      entropy: row.entropy ?? response.reduce((sum, x) => sum + x, 0) / Math.max(response.length, 1),
      ...(row.greedyScore !== undefined && { greedyScore: row.greedyScore }),
      ...(row.gradientNorm !== undefined && { gradientNorm: row.gradientNorm }),
    };
  });
}

function notesOn(file: CheckedFile): string[] {
  return (["old", "new", "ref", "sampler"] as const).flatMap((name) => {
    const above = (file[name] ?? []).flatMap((row, i) => row.filter((x, t) => x > 0 && file.mask[i]?.[t] === 1));
    const most = above.reduce((high, x) => Math.max(high, x), 0);
    return above.length === 0 ? [] : [`${name} has ${above.length} log-probabilities above 0, the largest ${most}`];
  });
}

/** Formats a value as indented JSON, but with each list of plain values on one line. */
function toReadableJson(json: unknown): string {
  return JSON.stringify(json, undefined, 2).replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner: string) => {
    return `[${inner.replaceAll(/\s*\n\s*/g, " ")}]`;
  });
}

const maxIssues = 20;

function parseObjective(text: string): CheckedFile {
  const parsed = ObjectiveFile.safeParse(parseJson(text), { reportInput: true });
  if (!parsed.success) throw tooMany(parsed.error.issues.flatMap(explain));
  const file = parsed.data;
  const method = typeof file.method === "string" ? methodOf(file.method) : file.method;
  const issues = checkObjective({ ...file, method });
  if (issues.length > 0) throw tooMany(issues);
  return { ...file, method };
}

function explain(issue: z.core.$ZodIssue): InputIssue[] {
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    const known = Object.keys(ObjectiveFile.shape);
    return issue.keys.map((key) => {
      const close = closeMatches(key, known);
      const hint = close.length > 0 ? `did you mean ${close.join(" or ")}?` : `the keys are ${known.join(", ")}`;
      return { path: key, message: `unknown key; ${hint}` };
    });
  }
  return explainIssue(issue).map(({ path, message }) => ({ path: formatPath(path), message }));
}

function tooMany(issues: readonly InputIssue[]): Error {
  const rest = issues.length - maxIssues;
  const more = { path: "", message: `… and ${rest} more problems` };
  return badInput(rest > 0 ? [...issues.slice(0, maxIssues), more] : issues);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw badInput([{ path: "", message: `the file is not JSON: ${message} (JSON has no NaN and no Infinity)` }]);
  }
}

/** Parsed objective file, in which a method's name is replaced by its settings. */
type CheckedFile = ObjectiveFile & { method: Method };
const maxPositions = 1_000_000;

function checkObjective(file: CheckedFile): InputIssue[] {
  const shapes = checkShapes(file);
  return shapes.length > 0 ? shapes : [...checkSource(file), ...checkNeeds(file), ...checkConflicts(file)];
}

function checkShapes(file: CheckedFile): InputIssue[] {
  const { mask } = file;
  const [numRows, width] = [mask.length, mask[0]?.length ?? 0];
  const issue = (path: string, message: string): InputIssue[] => [{ path, message }];
  if (width === 0) return issue("mask[0]", "is empty, must have at least 1 token");
  if (numRows * width > maxPositions) {
    return issue("mask", `has ${numRows} × ${width} positions, at most ${maxPositions}`);
  }
  const bits = mask.flatMap((row, i) =>
    row.flatMap((x, t) => (x === 0 || x === 1 ? [] : issue(`mask[${i}][${t}]`, `is ${x}, must be 0 or 1`))),
  );
  const matrices = (["mask", ...matrixNames] as const).flatMap((name) => {
    const matrix = file[name];
    if (!matrix) return [];
    if (matrix.length !== numRows) return issue(name, `has ${matrix.length} rows, must be ${numRows}, as many as mask`);
    return matrix.flatMap((row, i) =>
      row.length === width
        ? []
        : issue(`${name}[${i}]`, `has ${formatCount(row.length, "token")}, must be ${width}, as many as mask[0]`),
    );
  });
  const lists = (["adv_seq", "rows", "turns", "ages"] as const).flatMap((name) => {
    const list = file[name];
    return !list || list.length === numRows
      ? []
      : issue(
          name,
          `has ${formatCount(list.length, "entry", "entries")}, must be ${numRows}, one for each row of mask`,
        );
  });
  return [...bits, ...matrices, ...lists];
}

function checkSource(file: CheckedFile): InputIssue[] {
  const given = (["adv_seq", "adv", "rows"] as const).filter((name) => file[name] !== undefined);
  if (given.length === 1) return [];
  const what = "one of adv_seq (a row's advantage), adv (a token's) and rows (rewards) is needed";
  return given.length === 0
    ? [{ path: "adv_seq", message: `is missing: ${what}` }]
    : [{ path: given.at(-1) ?? "", message: `is given in addition to ${given[0]}: exactly ${what}` }];
}

function checkNeeds(file: CheckedFile): InputIssue[] {
  const { method, rows } = file;
  const needs = (name: keyof ObjectiveFile, isNeeded: boolean, reader: string): InputIssue[] =>
    isNeeded && file[name] === undefined ? [{ path: name, message: `is missing: ${reader} reads it` }] : [];
  const ofRows = (
    name: "anchor" | "entropy" | "greedyScore" | "gradientNorm",
    isNeeded: boolean,
    reader: string,
  ): InputIssue[] =>
    (isNeeded ? (rows ?? []) : []).flatMap((row, i) =>
      row[name] === undefined ? [{ path: `rows[${i}].${name}`, message: `is missing: ${reader} reads it` }] : [],
    );
  const { kind } = method.advantage;
  const { reads } = advantageTraits[kind];
  const signal = signalOf(method.clipping);
  const correction = correctionOf(method, file);
  const anchor = "anchor" in method.clipping ? method.clipping.anchor : undefined;
  return [
    ...needs("ref", file.klCoef > 0, `klCoef ${file.klCoef}`),
    ...needs("newEntropy", file.entropyCoef > 0, `entropyCoef ${file.entropyCoef}`),
    ...needs("sampler", file.truncatedImportance !== null, `truncatedImportance ${file.truncatedImportance}`),
    ...needs("sampler", isCorrected(correction) && file.truncatedImportance === null, "the method's correction"),
    ...needs("sampler", anchor === "sampler", `clipping ${method.clipping.kind}`),
    ...needs("ages", correction.proximal === "interpolated", "an interpolated proximal policy"),
    ...needs("turns", signal === "turns", `clipping ${method.clipping.kind}`),
    ...needs("newEntropy", signal === "entropy", `clipping ${method.clipping.kind}`),
    ...needs("values", rows !== undefined && reads === "values", `advantage ${kind}`),
    ...ofRows("greedyScore", reads === "greedyScore", `advantage ${kind}`),
    ...ofRows("gradientNorm", reads === "gradientNorm", `advantage ${kind}`),
    ...needs("sampler", rows !== undefined && reads === "gradientNorm", `advantage ${kind}`),
    ...ofRows("anchor", reads === "anchor", `advantage ${kind}`),
    ...ofRows("entropy", reads === "entropy" && file.oldEntropy === undefined, `advantage ${kind} without oldEntropy`),
  ];
}

function checkConflicts(file: CheckedFile): InputIssue[] {
  const { klPlacement, klCoef, klEstimator, rows, method, denominatorRows } = file;
  const issues: InputIssue[] = [];
  if (klPlacement === "reward" && changesGradientAlone(klEstimator)) {
    const message = `is "${klEstimator}", which changes only a gradient; a KL in the reward has none`;
    issues.push({ path: "klEstimator", message });
  }
  if (klPlacement === "reward" && klCoef > 0 && rows === undefined) {
    issues.push({ path: "klPlacement", message: 'is "reward", but advantages are given and no rows with rewards' });
  }
  if (clippingTraits[method.clipping.kind].loss === "row" && denominatorRows !== null) {
    const message = `is ${denominatorRows}, but the geometric mean is a mean over all rows of the minibatch`;
    issues.push({ path: "denominatorRows", message });
  }
  return [...issues, ...correctionConflictsOf({ method, update: file })];
}
