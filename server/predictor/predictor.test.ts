import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeDetector, toEffective } from "#server/domain/stability/detector.ts";
import { generateRun, syntheticSize } from "#server/domain/stability/synthetic/generate.ts";
import { predictRun } from "./predict.ts";
import { openPredictor, savePredictor } from "./store.ts";
import { trainPredictor } from "./train.ts";

const folder = await mkdtemp(join(tmpdir(), "arlarena-predictor-"));
afterAll(() => rm(folder, { recursive: true }));
const detector = makeDetector(toEffective(syntheticSize));

describe("a predictor trained on few made-up runs", async () => {
  const { card, model } = await trainPredictor({ numRuns: 5 });
  await savePredictor(folder, card, model);

  it("knows more than the base rate of mechanisms that it never saw", () => {
    expect(card.heldOut.predictor.rocArea).toBeGreaterThan(0.7);
    expect(card.heldOut.predictor.brier).toBeCloseTo(
      (1 - card.heldOut.predictor.skill) * card.heldOut.predictor.baseRate * (1 - card.heldOut.predictor.baseRate),
      10,
    );
    expect(card.beatsRules).toBe(card.heldOut.predictor.brier < card.heldOut.rules.brier);
  });

  it("is one file, read by its content's hash, that predicts a collapse of a kind it saw", async () => {
    const opened = await openPredictor(folder);
    expect(opened?.card).toEqual(card);
    if (!opened) return;
    const { points, collapseStep = 0 } = generateRun("C_echo", "predicted");
    const predictions = await predictRun(opened.model, detector, points);
    const calm = predictions.find(({ iteration }) => iteration === collapseStep - 60);
    const close = predictions.find(({ iteration }) => iteration === collapseStep - 3);
    expect(close?.probability).toBeGreaterThan(2 * (calm?.probability ?? NaN));
    await opened.model.close();
  });

  it("is trained to the same file again", async () => {
    expect((await trainPredictor({ numRuns: 5 })).card).toEqual(card);
  });

  it("is not read when its file is another than its card says", async () => {
    await appendFile(join(folder, `predictor-${card.id}.onnx`), "x");
    await expect(openPredictor(folder)).rejects.toThrow(`its card says ${card.id}`);
  });
});

it("nothing is trained on too few runs", async () => {
  await expect(trainPredictor({ numRuns: 2 })).rejects.toThrow(/8 collapsed and 8 other runs are too few/);
});

it("there is none in an empty folder", async () => {
  expect(await openPredictor(join(folder, "none"))).toBeUndefined();
});
