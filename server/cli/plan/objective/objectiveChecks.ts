import type { Method } from "#trainer/spec/method.ts";
import { correctionOf, isCorrected } from "#trainer/spec/correction.ts";
import { changesGradientAlone } from "#trainer/spec/conflicts.ts";
import { advantageTraits, clippingTraits, signalOf } from "#trainer/spec/traits.ts";
import { type InputIssue, formatCount } from "#packages/base";
import { matrixNames, type ObjectiveFile } from "./objectiveFile.ts";

/** A file with its method resolved. */
export type CheckedFile = ObjectiveFile & { method: Method };
const maxPositions = 1_000_000;

/** Issues across fields: shapes, exactly one source of advantages, and inputs of the method. */
export function checkObjective(file: CheckedFile): InputIssue[] {
  const shapes = checkShapes(file);
  return shapes.length > 0 ? shapes : [...checkSource(file), ...checkNeeds(file), ...checkConflicts(file)];
}

function checkShapes(file: CheckedFile): InputIssue[] {
  const { mask } = file;
  const [numRows, width] = [mask.length, mask[0]?.length ?? 0];
  const issue = (path: string, message: string): InputIssue[] => [{ path, message }];
  if (width === 0) return issue("mask[0]", "is empty, at least 1 token");
  if (numRows * width > maxPositions) {
    return issue("mask", `has ${numRows} × ${width} positions, at most ${maxPositions}`);
  }
  const bits = mask.flatMap((row, i) =>
    row.flatMap((x, t) => (x === 0 || x === 1 ? [] : issue(`mask[${i}][${t}]`, `is ${x}, must be 0 or 1`))),
  );
  const matrices = (["mask", ...matrixNames] as const).flatMap((name) => {
    const matrix = file[name];
    if (!matrix) return [];
    if (matrix.length !== numRows) return issue(name, `has ${matrix.length} rows, must be ${numRows} as mask`);
    return matrix.flatMap((row, i) =>
      row.length === width
        ? []
        : issue(`${name}[${i}]`, `has ${formatCount(row.length, "token")}, must be ${width} as mask[0]`),
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
    : [{ path: given.at(-1) ?? "", message: `is given beside ${given[0]}: exactly ${what}` }];
}

/** Issues of fields required by the method or a coefficient. */
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

function checkConflicts({
  klPlacement,
  klCoef,
  klEstimator,
  rows,
  method,
  denominatorRows,
}: CheckedFile): InputIssue[] {
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
  return issues;
}
