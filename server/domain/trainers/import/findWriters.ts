import type { LoggedStep } from "#packages/trainers";
import type { NamedFile } from "./foreignRun.ts";
import { nameFile, parentOf, partsOf } from "./nameFile.ts";

/** Folder that `add_hparams` makes below a run's folder, named by its time. */
const ofHyperparameters = /\/\d{9,}(?:\.\d+)?\/$/;

/** True for an event file that holds hyperparameters, with final values but no steps. */
export function isOfHyperparameters(fileName: string, files: readonly NamedFile[]): boolean {
  const folder = parentOf(fileName);
  return ofHyperparameters.test(folder) && files.some((other) => parentOf(other.fileName) === up(folder));
}

/** True for an event file of Ray Tune beside its tables, which have the same values by training iteration. */
export function isOfTune({ fileName, file }: NamedFile, files: readonly NamedFile[]): boolean {
  if (file.format !== "tensorBoard") return false;
  const [first] = file.runs[0]?.lines ?? [];
  const isTagged = Object.keys(first?.values ?? {}).some((tag) => tag.startsWith("ray/tune/"));
  const isBeside = (other: NamedFile) =>
    parentOf(other.fileName) === parentOf(fileName) && other.file.format !== "tensorBoard";
  return isTagged && files.some(isBeside);
}

/** Event file of a run that has another one in a folder above: the path that names the run, and its metrics' names. */
type Writer = { path: string; rename: (tag: string) => string };

/**
 * Finds event files in folders that TensorBoard's `add_scalars` makes below a run's folder, one for each line:
 * `loss/policy` or `loss_policy`, with the tag `loss`. Transformers has folders of its own, too.
 */
export function findWriters(files: readonly NamedFile[]): ReadonlyMap<string, Writer> {
  const events = files.filter(({ file }) => file.format === "tensorBoard");
  const folders = new Set(events.map(({ fileName }) => parentOf(fileName)));
  const others = files.filter(({ file }) => file.format !== "tensorBoard").map(({ fileName }) => nameFile(fileName));
  const runs = new Set(others.map(({ folder }) => folder));
  const writers = new Map<string, Writer>();
  for (const { fileName, file } of events) {
    const own = parentOf(fileName);
    // Transformers writes them to `runs/TIME_HOST` in the folder of its state.
    const [, output] = /^(.*)\/runs\/[^/]+\/$/.exec(own) ?? [];
    if (output !== undefined && runs.has(partsOf(output).join("/"))) {
      writers.set(fileName, { path: `${output}/${fileName.slice(own.length)}`, rename: (tag) => tag });
      continue;
    }
    for (let above = up(own); above !== ""; above = up(above)) {
      if (!folders.has(above)) continue;
      const below = own.slice(above.length, -1);
      const tags = new Set(file.runs.flatMap(({ lines }) => lines.flatMap(({ values }) => Object.keys(values))));
      if (![...tags].every((tag) => flat(below).startsWith(`${flat(tag)}_`))) break;
      const rename = (tag: string) => `${tag}/${below.slice(tag.length + 1)}`;
      writers.set(fileName, { path: above + fileName.slice(own.length), rename });
    }
  }
  return writers;
}

/** Returns copies of log lines with their metrics renamed. */
export function renameKeys<Line extends LoggedStep>(lines: readonly Line[], rename: (key: string) => string): Line[] {
  return lines.map((line) => ({
    ...line,
    values: Object.fromEntries(Object.entries(line.values).map(([key, value]) => [rename(key), value])),
  }));
}

function up(folder: string): string {
  return parentOf(folder.replace(/\/$/, ""));
}

function flat(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.]+/g, "_");
}
