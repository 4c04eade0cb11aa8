import { flagWords } from "#server/domain/runs/table/resolveFilter.ts";
import { metricOf, type Field } from "#server/domain/runs/table/field.ts";
import type { FieldIndex } from "#server/domain/runs/table/findField.ts";
import { splitWords, unquote } from "#server/domain/runs/table/splitWords.ts";

/** The word to complete at the caret: a field name, or a field's value. */
export type Completing = { start: number; end: number; before: string } & (
  { kind: "name"; text: string } | { kind: "value"; field: Field; text: string }
);

/** The word at or before the caret; undefined between words. */
export function findCompleting(filter: string, caret: number, index: FieldIndex): Completing | undefined {
  const word = splitWords(filter).words.find(({ start, end }) => start < caret && caret <= end);
  if (!word) return undefined;
  const written = filter.slice(word.start, caret);
  const [, sign = "", name = "", operator = "", value = ""] =
    /^(-?)([^"\s:=<>!]*)(?:(<=|>=|!=|[:=<>])(.*))?$/s.exec(written) ?? [];
  const where = { start: word.start, end: word.end };
  if (operator === "") return name === "" ? undefined : { ...where, kind: "name", text: name, before: sign };
  const field = index.find(name);
  if (!field) return undefined;
  const comma = value.lastIndexOf(",") + 1;
  const before = `${sign}${name}${operator}${value.slice(0, comma)}`;
  return { ...where, kind: "value", field, text: unquote(value.slice(comma)), before };
}

export type Suggestion = { text: string; title: string };

/** Fields and state words that contain a text; those that begin with it come first. */
export function suggestNames(text: string, fields: readonly Field[], limit: number): Suggestion[] {
  const [, at] = /^(at\d+\.)/i.exec(text) ?? [];
  if (at !== undefined) return suggestMetricsAt(at, { text: text.slice(at.length), fields, limit });
  const plain = text.toLowerCase();
  const flags = [...flagWords.keys()].map((word) => ({ text: word, title: "a state", isField: false }));
  const names = fields.map(({ key, title }) => ({ text: key, title, isField: true }));
  const rank = (one: Suggestion) => {
    const name = one.text.toLowerCase();
    const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("/")) + 1);
    if (name.startsWith(plain)) return 0;
    if (last.startsWith(plain)) return 1;
    return name.includes(plain) || one.title.toLowerCase().includes(plain) ? 2 : 3;
  };
  return [...names, ...flags]
    .filter((one) => rank(one) < 3)
    .toSorted((a, b) => rank(a) - rank(b) || a.text.length - b.text.length)
    .slice(0, limit)
    .map(({ text, title, isField }) => ({ text: isField ? `${text}:` : text, title }));
}

/** Metrics after an iteration prefix: `at40.succ` may become `at40.evaluation/successRate:`. */
function suggestMetricsAt(
  at: string,
  { text, fields, limit }: { text: string; fields: readonly Field[]; limit: number },
): Suggestion[] {
  const metrics = fields.flatMap((field) => {
    const named = metricOf(field.key);
    const title = field.title.replace(/, final$/, `, at ${at.slice(2, -1)}`);
    return named?.rule === "final" ? [{ ...field, key: named.metric, title }] : [];
  });
  // State words are not metrics.
  return suggestNames(text, metrics, limit + flagWords.size)
    .filter((one) => one.text.endsWith(":"))
    .slice(0, limit)
    .map((one) => ({ ...one, text: `${at}${one.text}` }));
}
