import type { z } from "zod";
import { Block, fieldNames, isBlockKind, type BlockKind } from "./blocks.ts";

/** Lines are counted from 1. */
export type ReportPart =
  | { kind: "text"; text: string; line: number }
  /** `source`: kind and text as written; frozen blocks are stored under it. */
  | { kind: "block"; block: Block; source: string; line: number }
  | { kind: "problem"; message: string; line: number };

const fence = /^(`{3,}|~{3,})\s*(\S*)\s*$/;

/** Blocks of older reports: their present kind, with further lines. */
const former: Readonly<Record<string, { kind: BlockKind; lines: readonly string[] }>> = {
  findings: { kind: "analysis", lines: ["question: claims"] },
};

/** Never throws: errors become elements that are shown in place. */
export function parseReport(body: string): ReportPart[] {
  const lines = body.split(/\r?\n/);
  const parts: ReportPart[] = [];
  let text: string[] = [];
  let textFrom = 1;
  const endText = () => {
    if (text.some((line) => line.trim() !== "")) parts.push({ kind: "text", text: text.join("\n"), line: textFrom });
    text = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const [, mark = "", name = ""] = fence.exec(lines[at] ?? "") ?? [];
    const kind = former[name]?.kind ?? name;
    const end = mark === "" ? -1 : lines.findIndex((line, i) => i > at && line.trim() === mark);
    if (!isBlockKind(kind) || end < 0) {
      if (text.length === 0) textFrom = at + 1;
      if (isBlockKind(kind)) {
        endText();
        parts.push(toProblem(kind, at + 1, `the block is not closed: add a line with ${mark}`));
        continue;
      }
      // A code block in another language is plain text up to its closing fence.
      const last = end < 0 ? at : end;
      text.push(...lines.slice(at, last + 1));
      at = last;
      continue;
    }
    endText();
    const written = lines.slice(at + 1, end);
    const block = { kind, source: [name, ...written].join("\n"), lines: [...written, ...(former[name]?.lines ?? [])] };
    parts.push(...parseBlock(block, at + 2));
    at = end;
  }
  endText();
  return parts;
}

type WrittenBlock = { kind: BlockKind; source: string; lines: readonly string[] };

function parseBlock({ kind, source, lines }: WrittenBlock, firstLine: number): ReportPart[] {
  const fields = new Map<string, { value: string; line: number }>();
  const problems: ReportPart[] = [];
  for (const [i, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const colon = text.indexOf(":");
    const name = text.slice(0, colon).trim();
    const line = firstLine + i;
    if (colon < 0) problems.push(toProblem(kind, line, `"${text.trim()}" is not a field of the form name: value`));
    else if (fields.has(name)) problems.push(toProblem(kind, line, `${name} is written twice`));
    else fields.set(name, { value: text.slice(colon + 1).trim(), line });
  }
  if (problems.length > 0) return problems;
  const parsed = Block.safeParse({
    kind,
    fields: Object.fromEntries([...fields].map(([name, { value }]) => [name, value])),
  });
  if (parsed.success) return [{ kind: "block", block: parsed.data, source, line: firstLine - 1 }];
  return parsed.error.issues.map((issue) => {
    const field = fields.get(String(issue.path[1] ?? ""));
    return toProblem(kind, field?.line ?? firstLine - 1, describeIssue(kind, issue, field?.value));
  });
}

function toProblem(kind: BlockKind, line: number, message: string): ReportPart {
  return { kind: "problem", line, message: `${kind}: ${message}` };
}

function describeIssue(kind: BlockKind, issue: z.core.$ZodIssue, value: string | undefined): string {
  const there = fieldNames(kind).join(", ");
  if (issue.code === "unrecognized_keys") return `there is no field ${issue.keys.join(", ")}; the fields are ${there}`;
  const name = String(issue.path[1] ?? "");
  if (value === undefined) return `${name} is missing; the fields are ${there}`;
  return `${name} is "${value}": ${issue.message}`;
}
