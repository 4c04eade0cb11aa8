import { leavesOf } from "#trainer/spec/leaves.ts";
import { numbersOf, type LoggedStep } from "./point.ts";
import { parseJson } from "./pythonJson.ts";
import { makeRollouts } from "./rollouts.ts";
import { fieldsOf, makeCrc, type Field } from "./tensorBoard.ts";

/** Local files of a W&B run that is offline or not yet uploaded. `name` and `id` are empty if unknown. */
export type WandbRun = {
  name: string;
  id: string;
  steps: LoggedStep[];
  config: Record<string, string>;
  notes: string[];
};

/** Size in bytes of the file's header: ":W&B", two magic bytes, the format's version. */
const headBytes = 7;
const blockBytes = 32 * 1024;
/** Size in bytes of a chunk's header: CRC-32 of type and data, length, type. */
const chunkHeadBytes = 7;
const crc32 = makeCrc(0xedb88320);
const pieces = { whole: 1, first: 2, middle: 3, last: 4 } as const;

export function isWandbFile(bytes: Uint8Array): boolean {
  return bytes.length >= headBytes && new TextDecoder().decode(bytes.subarray(0, 4)) === ":W&B";
}

/**
 * Reads the history in a `run-ID.wandb` file: protobuf records in the framing of LevelDB's logs (blocks of 32 KiB,
 * records in pieces). A damaged piece is dropped with its record; a last piece that a killed run cut off ends the read.
 * Both cases are noted.
 */
export function readWandbFile(bytes: Uint8Array): WandbRun {
  const { records, notes } = readRecords(bytes);
  const run: WandbRun = { name: "", id: "", steps: [], config: {}, notes };
  const rows: Row[] = [];
  const axes = new Set<string>();
  let numBroken = 0;
  for (const record of records) {
    try {
      for (const field of fieldsOf(record)) {
        if (field.kind !== "bytes") continue;
        if (field.number === recordFields.history) rows.push(readHistory(field.bytes));
        if (field.number === recordFields.metric) axes.add(textOf(field.bytes, metricFields.stepMetric));
        if (field.number === recordFields.config) addConfig(run.config, field.bytes);
        if (field.number === recordFields.run) {
          run.id = textOf(field.bytes, runFields.id) || run.id;
          run.name = textOf(field.bytes, runFields.displayName) || run.name;
          for (const part of fieldsOf(field.bytes)) {
            if (part.kind === "bytes" && part.number === runFields.config) addConfig(run.config, part.bytes);
          }
        }
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      numBroken += 1;
    }
  }
  if (numBroken > 0) notes.push(`${numBroken} records that are no messages of W&B were left out`);
  placeRows(run, rows, axes);
  return run;
}

/** Adds rows to the run, at the step that the trainer logs itself or has named with `define_metric`, else W&B's. */
function placeRows(run: WandbRun, rows: readonly Row[], axes: ReadonlySet<string>): void {
  const hasOwnSteps = rows.length > 0 && rows.every(({ values }) => ownStepOf(values) !== undefined);
  const hasRollouts = hasOwnSteps && rows.some(({ values }) => ownStepOf(values) === "rollout/step");
  const axis = hasOwnSteps ? undefined : chooseAxis(rows, axes);
  let last = 0;
  const { takeRollout, takeUpdate } = makeRollouts();
  for (const { step, values } of rows) {
    const { _timestamp: seconds, _step: counted, _runtime: _, ...metrics } = values;
    const name = hasOwnSteps ? ownStepOf(metrics) : axis;
    // A row without the chosen axis was logged at its last value.
    const own = name === undefined ? undefined : metrics[name];
    const at = name === undefined ? (step ?? counted) : Number.isInteger(own) ? own : last;
    if (at === undefined || !Number.isInteger(at) || at < 0 || Object.keys(metrics).length === 0) continue;
    last = at;
    const isTimed = seconds !== undefined && Number.isFinite(seconds);
    const take = !hasRollouts ? undefined : name === "train/step" ? takeUpdate : takeRollout;
    run.steps.push({
      ...(take?.(at, metrics) ?? { step: at, values: metrics }),
      ...(isTimed && { atMs: seconds * 1000 }),
    });
  }
}

/**
 * Chooses the axis with the max number of rows, from those of `define_metric` and those that trainers usually log. An
 * axis that fewer than half of the rows have belongs to some metrics only.
 */
function chooseAxis(rows: readonly Row[], axes: ReadonlySet<string>): string | undefined {
  const countOf = (name: string) => rows.filter(({ values }) => Number.isInteger(values[name])).length;
  const defined = [...axes].filter((name) => countOf(name) > 0);
  if (defined.length === 0) return undefined;
  const counts = [...new Set([...defined, ...ownSteps])].map((name) => ({ name, count: countOf(name) }));
  const [max] = counts.toSorted((a, b) => b.count - a.count);
  return max && 2 * max.count >= rows.length ? max.name : undefined;
}

/** Steps that trainers log themselves (Transformers, OpenRLHF, slime, prime-rl); W&B's step counts logging calls. */
const ownSteps = [
  "train/global_step",
  "eval/global_step",
  "rollout/step",
  "eval/step",
  "train/step",
  "step",
  "trainer/global_step",
  "global_step",
] as const;

function ownStepOf(values: Readonly<Record<string, number>>) {
  return ownSteps.find((name) => Number.isInteger(values[name]));
}

// Protobuf field numbers of W&B's file, from wandb_internal.proto.
const recordFields = { history: 2, config: 5, metric: 12, run: 17 } as const;
const metricFields = { stepMetric: 4 } as const;
const runFields = { id: 1, config: 4, displayName: 8 } as const;
const configFields = { update: 1 } as const;
const historyFields = { item: 1, step: 2 } as const;
const itemFields = { key: 1, nestedKey: 2, valueJson: 16 } as const;

/** Adds the W&B run's configuration to `config`, flattened with dots. W&B's own entry is left out. */
function addConfig(config: Record<string, string>, bytes: Uint8Array): void {
  for (const item of fieldsOf(bytes)) {
    if (item.kind !== "bytes" || item.number !== configFields.update) continue;
    const { key, value } = readItem(item.bytes);
    if (key[0] === "_wandb") continue;
    for (const [path, leaf] of leavesOf(value, key)) {
      config[path.join(".")] = typeof leaf === "string" ? leaf : JSON.stringify(leaf);
    }
  }
}

/** Reads a protobuf item of history or configuration: its nested keys from the outside in, and its value as JSON. */
function readItem(bytes: Uint8Array): { key: string[]; value: unknown } {
  const key: string[] = [];
  let json = "null";
  for (const part of fieldsOf(bytes)) {
    if (part.kind !== "bytes") continue;
    if (part.number === itemFields.key || part.number === itemFields.nestedKey) key.push(decode(part.bytes));
    if (part.number === itemFields.valueJson) json = decode(part.bytes);
  }
  return { key, value: parseJson(json) };
}

type Row = { step: number | undefined; values: Record<string, number> };

function readHistory(bytes: Uint8Array): Row {
  let step: number | undefined;
  const values: Record<string, unknown> = {};
  for (const field of fieldsOf(bytes)) {
    if (field.kind !== "bytes") continue;
    // Protobuf omits a field whose value is zero.
    if (field.number === historyFields.step) step = [...fieldsOf(field.bytes)].find(isNumberOne)?.value ?? 0;
    if (field.number !== historyFields.item) continue;
    const { key, value } = readItem(field.bytes);
    values[key.join(".")] = value;
  }
  return { step, values: numbersOf(values) };
}

function isNumberOne(field: Field): field is Field & { kind: "varint" } {
  return field.number === 1 && field.kind === "varint";
}

function textOf(bytes: Uint8Array, number: number): string {
  for (const field of fieldsOf(bytes))
    if (field.number === number && field.kind === "bytes") return decode(field.bytes);
  return "";
}

const decoder = new TextDecoder();

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function readRecords(bytes: Uint8Array): { records: Uint8Array[]; notes: string[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Uint8Array[] = [];
  const notes: string[] = [];
  let begun: Uint8Array[] = [];
  let [at, numDamaged] = [headBytes, 0];
  while (at + chunkHeadBytes <= bytes.length) {
    const left = blockBytes - (at % blockBytes);
    const [length, type] = [view.getUint16(at + 4, true), view.getUint8(at + 6)];
    // The rest of a 32 KiB block is padding with zeros, or has too few bytes for a header.
    if (left < chunkHeadBytes || (length === 0 && type === 0)) {
      at += left;
      continue;
    }
    const end = at + chunkHeadBytes + length;
    if (end > bytes.length) break;
    const isWhole = length + chunkHeadBytes <= left && crc32(bytes.subarray(at + 6, end)) === view.getUint32(at, true);
    if (!isWhole) {
      // After a damaged piece, the next known start of a piece is the start of the next block.
      numDamaged += 1;
      begun = [];
      at += left;
      continue;
    }
    const data = bytes.subarray(at + chunkHeadBytes, end);
    if (type === pieces.whole) records.push(data);
    else if (type === pieces.first) begun = [data];
    else if (begun.length > 0) begun.push(data);
    if (type === pieces.last && begun.length > 0) records.push(join(begun));
    if (type === pieces.whole || type === pieces.last) begun = [];
    at = end;
  }
  if (numDamaged > 0) notes.push(`${numDamaged} of its blocks are damaged: what they held from there on is left out`);
  if (at < bytes.length || begun.length > 0) notes.push("its end is torn: the last record is left out");
  return { records, notes };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
