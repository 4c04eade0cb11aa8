import { z } from "zod";

/** Values of one step under the trainer's own keys, NaN and ±Infinity included; the Unix time if logged. */
export type LoggedStep = {
  step: number;
  values: Record<string, number>;
  atMs?: number;
  nulls?: readonly string[];
  /** Texts that may be numbers in an unknown form, such as "0,21", by their keys. */
  texts?: Readonly<Record<string, string>>;
};

/** Parses a number as Python, NumPy, PyTorch or JSON print it, and true and false as 1 and 0; otherwise undefined. */
export function parseNumber(text: string): number | undefined {
  const bare = text.trim();
  if (plain.test(bare)) return Number(bare);
  const [, inside] = call.exec(bare) ?? [];
  return inside === undefined ? words.get(bare.toLowerCase()) : parseNumber(inside);
}

const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const words = new Map([
  ["nan", NaN],
  ["inf", Infinity],
  ["+inf", Infinity],
  ["infinity", Infinity],
  ["-inf", -Infinity],
  ["-infinity", -Infinity],
  ["-nan", NaN],
  ["true", 1],
  ["false", 0],
]);
/** Matches a number that is printed as a call: `np.float64(0.5)`, `tensor(0.5, device='cuda:0')`, `array([0.5])`. */
const call =
  /^(?:(?:np|numpy|torch|jnp|tf)\.\w+|tensor|array|float\d*|int\d*|bfloat16|Decimal)\(\[*['"]?([^,[\]()'"]+)['"]?\]*(?:,.*)?\)$/;

/**
 * Collects numbers (also as text), booleans as 0 and 1, nested objects as `outer/inner`; keys of nulls in `nulls`, and
 * texts that may be numbers in `texts`.
 */
export function numbersOf(
  data: Readonly<Record<string, unknown>>,
  nulls: string[] = [],
  texts: Record<string, string> = {},
): Record<string, number> {
  const numbers: Record<string, number> = {};
  collect(data, "", { into: numbers, nulls, texts, depth: 0 });
  return numbers;
}

type Collecting = {
  into: Record<string, number>;
  nulls: string[];
  texts: Record<string, string>;
  depth: number;
};

function collect(data: Readonly<Record<string, unknown>>, prefix: string, collecting: Collecting): void {
  const { into, nulls, texts, depth } = collecting;
  for (const key of Object.keys(data)) {
    const value = data[key];
    const number = toNumber(value);
    if (number !== undefined) into[prefix + key] = number;
    else if (value === null) nulls.push(prefix + key);
    else if (typeof value === "string" && oddNumber.test(value)) texts[prefix + key] = value;
    else if (typeof value === "object" && isNested(key, value) && depth < maxDepth) {
      collect(value, `${prefix}${key}/`, { ...collecting, depth: depth + 1 });
    }
  }
}

/** Matches texts of digits with commas, spaces or units, which are no plain numbers. */
const oddNumber = /^\s*[+-]?\d[\d.]*[, \u00A0\u202F'][\d.,]*\d\s*[%kKMG]?\s*$/;
const maxDepth = 5;

/** True for an object whose fields are measurements. Settings, and W&B's histograms and files (`_type`), are not. */
function isNested(key: string, value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value) && key !== "config" && !Object.hasOwn(value, "_type");
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "number" || typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return undefined;
  const [, percent] = /^(.*\d)\s*%\s*$/.exec(value) ?? [];
  const number = parseNumber(percent ?? value);
  return number === undefined || percent === undefined ? number : number / 100;
}

/** Schema of a JSON object. It does not copy the object, whereas a record schema would copy each log line. */
export const LoggedObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** Possible columns of the step, most reliable first: `_step` is W&B's; ms-swift prints step and total. */
const stepKeys = [
  "step",
  "iteration",
  "_step",
  "global_step",
  "global_step/max_steps",
  "training_iteration",
  "train/global_step",
  "trainer/global_step",
  "training/global_step",
  "Step",
  "Iteration",
] as const;

type Row = Readonly<Record<string, unknown>>;

/** The step is undefined if no column has a known name, or its value is no non-negative integer. */
export function splitStep(row: Row): { step: number | undefined; rest: Row } {
  const key = stepKeys.find((one) => row[one] !== undefined);
  if (key === undefined) return { step: undefined, rest: row };
  const { [key]: value, ...rest } = row;
  return { step: toStep(value), rest };
}

function toStep(value: unknown): number | undefined {
  const [, done] = typeof value === "string" ? (/^(\d+)\s*\/\s*\d+$/.exec(value) ?? []) : [];
  const step = done === undefined ? value : Number(done);
  return typeof step === "number" && Number.isSafeInteger(step) && step >= 0 ? step : undefined;
}
