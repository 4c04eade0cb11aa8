import type { LoggedStep } from "#packages/trainers";
import type { ForeignFile, Group, Part } from "./foreignRun.ts";
import { guessIdentity } from "./guessIdentity.ts";
import { resumedWords } from "./nameFile.ts";

/**
 * Joins a log that starts in the middle to the run that it resumes, which must be in the same folder. The two file
 * names differ only in numbers and words such as "resumed", and known seeds are equal. The log starts at a step that
 * the earlier run reached.
 */
export function joinResumed(groups: readonly Group[]): Group[] {
  const spans = groups.map(measure);
  const joined = new Set<Span>();
  for (const span of spans.toSorted((a, b) => a.first - b.first)) {
    const earlier = spans
      .filter((other) => other !== span && !joined.has(other) && isContinued(other, span))
      .toSorted((a, b) => distance(a, span) - distance(b, span))[0];
    if (!earlier) continue;
    joined.add(span);
    const shift = shiftOf(earlier, span);
    const note = `${span.fileName} continues ${earlier.fileName} at step ${span.first + shift}: read as one run`;
    const parts = span.group.parts.map((part) => moved(part, shift));
    earlier.group.parts.push(...parts.map((part, i) => (i === 0 ? { ...part, notes: [...part.notes, note] } : part)));
    earlier.last = Math.max(earlier.last, span.last + shift);
    const { name, folder } = span.group;
    if (earlier.group.folder === undefined && folder !== undefined) Object.assign(earlier.group, { name, folder });
  }
  return spans.filter((span) => !joined.has(span)).map(({ group }) => group);
}

type Span = {
  group: Group;
  /** Folder of the run's only file; undefined if the run has several files, or a file that names the run. */
  directory: string | undefined;
  fileName: string;
  stem: string;
  seed: number | undefined;
  first: number;
  last: number;
  stride: number;
};

function measure(given: Group): Span {
  const group = { ...given, parts: [...given.parts] };
  const steps = group.parts.flatMap(({ lines }) => lines.map(({ step }) => step));
  const ascending = [...new Set(steps)].sort((a, b) => a - b);
  const gaps = ascending.slice(1).map((step, i) => step - (ascending[i] ?? step));
  const stride = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 1;
  const { seed } = guessIdentity(group.name);
  const path = group.file?.split(/[\\/]+/);
  const fileName = path?.at(-1) ?? group.name;
  const directory = path?.slice(0, -1).join("/");
  const [first = 0, last = first] = [ascending[0], ascending.at(-1)];
  return { group, directory, fileName, stem: stemOf(fileName), seed, first, last, stride };
}

function isContinued(earlier: Span, later: Span): boolean {
  if (earlier.directory === undefined || earlier.directory !== later.directory) return false;
  if (formatOf(earlier) !== formatOf(later) || earlier.stem !== later.stem) return false;
  // One run may be named after its folder, which contains the seed, and the other after its file without a seed.
  if (earlier.seed !== later.seed && earlier.seed !== undefined && later.seed !== undefined) return false;
  const first = later.first + shiftOf(earlier, later);
  const isMiddle = first > Math.max(1, later.stride);
  return isMiddle && earlier.first < first && first <= earlier.last + 2 * Math.max(earlier.stride, later.stride);
}

function distance(earlier: Span, later: Span): number {
  return Math.abs(earlier.last + earlier.stride - later.first - shiftOf(earlier, later));
}

function formatOf({ group }: Span): ForeignFile["format"] | undefined {
  return group.parts[0]?.format;
}

function stemOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/(\.(jsonl?|ndjson|log|txt|csv|tsv|out|err|gz|\d+))+$/, "")
    .replaceAll(new RegExp(`${resumedWords}|\\d+`, "g"), "")
    .replaceAll(/[^a-z]+/g, "");
}

/** Returns the steps to add to a printed log that counts from 1 again, computed from its epochs. */
function shiftOf(earlier: Span, later: Span): number {
  if (formatOf(later) !== "trlPrinted") return 0;
  const last = linesOf(earlier).findLast(({ values }) => (values["epoch"] ?? 0) > 0);
  const first = linesOf(later).find(({ values }) => (values["epoch"] ?? 0) > 0);
  if (last?.values["epoch"] === undefined || first?.values["epoch"] === undefined) return 0;
  const shift = Math.round((first.values["epoch"] / last.values["epoch"]) * last.step) - first.step;
  return shift >= later.stride ? shift : 0;
}

function linesOf({ group }: Span): readonly LoggedStep[] {
  return group.parts.flatMap(({ lines }) => lines);
}

function moved(part: Part, shift: number): Part {
  if (shift === 0) return part;
  return { ...part, lines: part.lines.map((line) => ({ ...line, step: line.step + shift })) };
}
