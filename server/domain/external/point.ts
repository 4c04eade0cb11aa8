/**
 * What one logged line says: values of one step under the trainer's own keys, and when (Unix time) where the log tells.
 * NaN and ±Infinity are values.
 */
export type LoggedStep = { step: number; values: Record<string, number>; atMs?: number };

/** A number as Python's `repr`, NumPy's `repr` or JSON writes it; undefined for anything else. */
export function parseNumber(text: string): number | undefined {
  const bare = /^np\.\w+\((.*)\)$/.exec(text.trim())?.[1] ?? text.trim();
  switch (bare.toLowerCase()) {
    case "nan":
      return NaN;
    case "inf":
    case "infinity":
      return Infinity;
    case "-inf":
    case "-infinity":
      return -Infinity;
    case "true":
      return 1;
    case "false":
      return 0;
  }
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare) ? Number(bare) : undefined;
}
