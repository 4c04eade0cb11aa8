import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "#server/domain/errors.ts";
import { makeDetector, toEffective, type SamplingSize } from "#server/domain/stability/detector.ts";
import { parseEventLog } from "#server/domain/stability/logs/eventLog.ts";
import { labelPoints } from "#server/domain/stability/label/labelPoints.ts";
import { parseLog } from "#server/domain/stability/logs/parseLog.ts";
import { isRelevant } from "#server/domain/stability/signals/point.ts";
import type { PredictorCard, Scores } from "#server/domain/stability/predictor/card.ts";
import type { LabelledRun } from "#server/domain/stability/predictor/examples.ts";
import { predictRun } from "#server/predictor/predict.ts";
import { openPredictor, savePredictor } from "#server/predictor/store.ts";
import { trainPredictor } from "#server/predictor/train.ts";
import { toColumns } from "../views/columns.ts";
import { readInputFile } from "../inputFile.ts";
import type { Outcome } from "../outcome.ts";
import { answerInput } from "../problem.ts";

type Training = { folder: string; numRuns: number; logs: readonly string[]; size: SamplingSize };

/** Trains the predictor of collapses and describes it. */
export function train(training: Training): Promise<Outcome> {
  return answerInput(() => trainAndDescribe(training));
}

type Application = { file: string; model: string; size: SamplingSize };

/** Applies the predictor to a log: its probabilities beside the states of the rules. */
export function apply(application: Application): Promise<Outcome> {
  return answerInput(() => applyTo(application));
}

async function trainAndDescribe({ folder, numRuns, logs, size }: Training): Promise<Outcome> {
  const effective = toEffective(size);
  const files = (await Promise.all(logs.map(findLogs))).flat();
  const real: LabelledRun[] = [];
  for (const file of files) {
    const logged = parseEventLog(await readFile(file, "utf8")).filter(isRelevant);
    const points = logged.map((point, iteration) => ({ ...point, iteration }));
    if (points.length > 0) real.push({ group: "real", points, label: labelPoints(points, effective) });
  }
  const { card, model } = await trainPredictor({ numRuns, real, effective });
  await savePredictor(folder, card, model);
  return { text: describeCard(card, folder), json: card, exitCode: 0 };
}

async function applyTo({ file, model: folder, size }: Application): Promise<Outcome> {
  const predictor = await openPredictor(folder);
  if (!predictor) throw new AppError("not_found", `${folder}: no predictor; "predictor train ${folder}" makes one`);
  const { card, model } = predictor;
  const points = parseLog(await readInputFile(file))?.points.filter(isRelevant) ?? [];
  if (points.length === 0) throw new AppError("bad_input", `${file}: nothing in it is a metric that the rules read`);
  const predictions = await predictRun(model, makeDetector(toEffective(size)), points);
  await model.close();
  const json = { file, predictor: card.id, horizon: card.horizon, beatsRules: card.beatsRules, predictions };
  const rows = predictions.map(({ iteration, status, probability }) => [
    { text: String(iteration) },
    { text: status },
    { text: probability.toFixed(3) },
  ]);
  const columns = [
    { header: "ITERATION", align: "right" },
    { header: "RULES" },
    { header: `COLLAPSE WITHIN ${card.horizon}`, align: "right" },
  ] as const;
  const warning = card.beatsRules ? [] : [describeVerdict(card)];
  const table = toColumns(columns, rows, { width: undefined, hasColour: false });
  return { text: [...warning, table].join("\n"), json, exitCode: 0 };
}

async function findLogs(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter(({ name }) => name === "events.jsonl")
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort();
  } catch (cause) {
    throw new AppError("bad_input", `--logs ${folder}: no such folder`, { cause });
  }
}

function describeCard(card: PredictorCard, folder: string): string {
  const { madeUp, real } = card.trainedOn;
  const toScoreRow = (name: string, { brier, skill, rocArea }: Scores) => [
    { text: name },
    { text: brier.toFixed(4) },
    { text: skill.toFixed(3) },
    { text: rocArea.toFixed(3) },
  ];
  const { predictor, rules, reliability } = card.heldOut;
  const scores = toColumns(
    [
      { header: "HELD-OUT MECHANISMS" },
      { header: "BRIER", align: "right" },
      { header: "SKILL", align: "right" },
      { header: "ROC AREA", align: "right" },
    ],
    [toScoreRow("predictor", predictor), toScoreRow("rules", rules)],
    { width: undefined, hasColour: false },
  );
  const bins = toColumns(
    [
      { header: "PREDICTED", align: "right" },
      { header: "COLLAPSED", align: "right" },
      { header: "STEPS", align: "right" },
    ],
    reliability.map(({ meanProbability, rate, count }) => [
      { text: meanProbability.toFixed(3) },
      { text: rate.toFixed(3) },
      { text: String(count) },
    ]),
    { width: undefined, hasColour: false },
  );
  return [
    `Predictor ${card.id} in ${folder}: a collapse within ${card.horizon} steps, from ${madeUp.runs} made-up runs (${madeUp.collapsed} collapsed) and ${real.runs} real ones (${real.collapsed} collapsed).`,
    scores,
    bins,
    describeVerdict(card),
  ].join("\n\n");
}

function describeVerdict({ beatsRules }: PredictorCard): string {
  return beatsRules
    ? "On mechanisms it never saw its probabilities are better than the rules read as probabilities."
    : "On mechanisms it never saw its probabilities are no better than the rules read as probabilities: rely on the rules.";
}
