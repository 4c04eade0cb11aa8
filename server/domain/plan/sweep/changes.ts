import type { AxisValue } from "./schema.ts";

export type Changes = Record<string, AxisValue[]>;

/** Parses lines such as `optimizer.learningRate = 6e-4, 1.2e-4`; `problem` describes the first line of another form. */
export function parseChanges(text: string): { changes: Changes; problem?: string } {
  const changes: Changes = {};
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const [, path = "", values = ""] = /^([^=\s]+)\s*=\s*(.+)$/.exec(line) ?? [];
    if (path === "")
      return { changes, problem: `"${line}" is not of the form setting = value, as in update.klCoef = 0.05` };
    changes[path] = values.split(",").map(toValue);
  }
  return { changes };
}

function toValue(text: string): AxisValue {
  const plain = text.trim();
  if (plain === "off") return null;
  if (plain === "true" || plain === "false") return plain === "true";
  const number = Number(plain);
  return plain !== "" && Number.isFinite(number) ? number : plain;
}
