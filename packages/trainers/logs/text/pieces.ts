import type { Piece } from "./piece.ts";
import { makeJoiner } from "./joiner.ts";
import { stripLauncher } from "./launcher.ts";
import { dictionaryAt, findVerl } from "./starts.ts";

/**
 * Splits a log's lines into pieces for readers of one format: colours, launcher prefixes and progress bars removed, one
 * measurement each, wrapped dictionaries joined. Pieces that may end within a number are marked.
 */
export function makePieces(onPiece: (piece: Piece) => void) {
  const joiner = makeJoiner(onPiece, take);

  /** `isEnded`: a line feed follows, as for every line except the last. */
  function push(line: string, number: number, isEnded = true): void {
    if (joiner.isIdle() && isWholeObject(line)) {
      onPiece({ text: line, line: number, numLines: 1, source: "" });
      return;
    }
    const plain = stripColours(line);
    if (plain.trim() === "") return;
    const { source, text } = stripLauncher(plain);
    const { parts, isBarLast } = cutBars(text);
    for (const [i, part] of parts.entries()) {
      const isLast = i === parts.length - 1;
      const again = i === 0 ? { source: "", text: part } : stripLauncher(part);
      const end = isLast && !isBarLast ? (isEnded ? undefined : ("end" as const)) : ("bar" as const);
      take({ text: again.text, line: number, numLines: 1, source: again.source || source }, end);
    }
  }

  function take(piece: Piece, cut: Piece["cut"]): void {
    if (joiner.takesLine(piece, cut)) return;
    const verl = findVerl(piece.text);
    for (const [i, at] of verl.entries()) {
      const next = verl[i + 1];
      onPiece(markCut({ ...piece, text: piece.text.slice(at, next) }, next === undefined ? cut : "runsOn"));
    }
    if (verl.length > 0) return;
    if (dictionaryAt(piece.text) !== -1) joiner.add(piece, cut);
    else onPiece(cut === "end" ? { ...piece, cut } : piece);
  }

  /** A dictionary still waiting for lines is incomplete. */
  return { push, end: () => joiner.end() };
}

/** Removes terminal colours and cursor movements. */
export function stripColours(line: string): string {
  if (!line.includes("\u001b")) return line;
  // oxlint-disable-next-line no-control-regex -- ANSI sequences begin with a control character.
  return line.replaceAll(/\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007|[()][A-Z0-9])/g, "");
}

/** Fast test for a line that is a single object. */
function isWholeObject(line: string): boolean {
  if (line.charCodeAt(0) !== 123 || line.charCodeAt(line.length - 1) !== 125) return false;
  if (line.includes("}{") || line.startsWith('{"log":')) return false;
  let [opened, closed] = [0, 0];
  for (let at = line.indexOf("{"); at !== -1; at = line.indexOf("{", at + 1)) opened += 1;
  for (let at = line.indexOf("}"); at !== -1; at = line.indexOf("}", at + 1)) closed += 1;
  return opened === closed;
}

/** tqdm's progress bars, with or without a total, complete or interrupted by other output. */
const bar =
  /\d{1,3}%\|[^|]*\|(?:\s*[\d.,?]+[kKMG]?\/[\d.,?]+[kKMG]?)?\s*(?:\[(?:(?!step:\d|\{)[^\]])*\]?)?|\b\d+it \[(?:(?!step:\d|\{)[^\]])*\]?/g;

/** Parts of a line without progress bars and their titles. */
function cutBars(text: string): { parts: string[]; isBarLast: boolean } {
  if (!text.includes("%|") && !text.includes("it [")) return { parts: [text], isBarLast: false };
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(bar)) {
    const before = text.slice(from, match.index);
    // Words before a bar are its title.
    if (findVerl(before).length > 0) parts.push(before.replace(/[A-Za-z][\w ]*:?\s*$/, ""));
    else if (before.includes("{")) parts.push(before);
    from = match.index + match[0].length;
  }
  const rest = text.slice(from);
  const isBarLast = from > 0 && rest.trim() === "";
  return { parts: isBarLast ? parts : [...parts, rest], isBarLast };
}

function markCut(piece: Piece, cut: Piece["cut"]): Piece {
  if (cut === undefined) return piece;
  if (cut !== "bar") return { ...piece, cut };
  const last = piece.text.lastIndexOf(" - ");
  return { ...piece, text: piece.text.slice(0, last), cut };
}
