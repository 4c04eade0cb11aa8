import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFeatureModel, type FeatureModel } from "#trainer/onnx/modelFile.ts";
import { AppError } from "#server/domain/errors.ts";
import { PredictorCard } from "#server/domain/stability/predictor/card.ts";
import { featureNames } from "#server/domain/stability/predictor/features.ts";

const cardFile = "predictor.json";
const modelFile = ({ id }: PredictorCard) => `predictor-${id}.onnx`;

export type Predictor = { card: PredictorCard; model: FeatureModel };

/** Hash of a model file's content, 16 hexadecimal digits: its version. */
export function predictorId(model: Uint8Array): string {
  return createHash("sha256").update(model).digest("hex").slice(0, 16);
}

/** Writes the model, then the card that names it: a reader finds the old pair or the new one. */
export async function savePredictor(folder: string, card: PredictorCard, model: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of [
    [modelFile(card), model],
    [cardFile, `${JSON.stringify(card, null, 2)}\n`],
  ] as const) {
    await writeFile(join(folder, `${name}.draft`), content);
    await rename(join(folder, `${name}.draft`), join(folder, name));
  }
}

/** Undefined where none was trained. Throws where the file is not the one its card names, or reads other features. */
export async function openPredictor(folder: string): Promise<Predictor | undefined> {
  const text = await readFile(join(folder, cardFile), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const card = PredictorCard.parse(JSON.parse(text));
  const path = join(folder, modelFile(card));
  const found = predictorId(await readFile(path));
  if (found !== card.id) throw new AppError("bad_input", `${path} has the content ${found}, its card says ${card.id}`);
  if (card.features.join() !== featureNames.join())
    throw new AppError(
      "bad_input",
      `${path} reads other features than this version of the detector has: train it anew`,
    );
  return { card, model: await openFeatureModel(path) };
}
