import type { Piece } from "./piece.ts";
import { dictionaryAt, findEnd, findVerl } from "./printed.ts";

/** A printed dictionary whose end has not been read yet; `lastLength` is the length of its newest line. */
type OpenPiece = Piece & { lastLength: number };

/** Maximum number of lines of a printed dictionary; a longer one is not a measurement. */
const maxJoinedLines = 400;
const maxJoinedLength = 1 << 18;

/** Joins a dictionary over several lines; splits several on one. `take` gets text after the last, if it is verl's. */
export function makeJoiner(onPiece: (piece: Piece) => void, take: (piece: Piece, cut: Piece["cut"]) => void) {
  const open = new Map<string, OpenPiece>();
  const flush = (source: string) => {
    const piece = open.get(source);
    if (!piece) return;
    open.delete(source);
    const { lastLength: _, ...rest } = piece;
    onPiece(rest);
  };
  const waiting = { open, onPiece, flush };

  /** Passes on the complete dictionaries in a piece; an incomplete dictionary waits for further lines. */
  function add(piece: Piece, cut: Piece["cut"]): void {
    const { text } = piece;
    let from = 0;
    for (let start = dictionaryAt(text); start !== -1; start = dictionaryAt(text, from)) {
      const end = findEnd(text, start);
      if (end === -1) {
        keepOpen(waiting, { ...piece, text: text.slice(from), ...(from > 0 && { numLines: 1 }) }, cut);
        return;
      }
      if (from === 0) open.delete(piece.source);
      // Brackets and commas of a list of dictionaries are removed, so that they do not count as words before a
      // dictionary.
      onPiece({
        ...piece,
        text: text.slice(from, end).replace(/^[\s[,;]+(?=\{)/, ""),
        ...(from > 0 && { numLines: 1 }),
      });
      from = end;
    }
    const rest = text.slice(from);
    if (findVerl(rest).length > 0) take({ ...piece, text: rest, numLines: 1 }, cut);
  }

  /** Adds a line to the open dictionary; false if the line does not belong to it. */
  function takesLine(piece: Piece, cut: Piece["cut"]): boolean {
    const before = open.get(piece.source);
    if (!before) return false;
    if (!goesOn(before, piece)) {
      if (piece.text.startsWith("{") || isTooLong(before)) flush(piece.source);
      return false;
    }
    const { lastLength: _, ...start } = before;
    const joined = { ...start, text: before.text + piece.text, numLines: before.numLines + 1 };
    open.set(piece.source, { ...joined, lastLength: piece.text.length });
    if (piece.text.includes("}") || cut === "end") add(joined, cut);
    return true;
  }

  return {
    isIdle: () => open.size === 0,
    takesLine,
    add,
    end(): void {
      for (const source of open.keys()) flush(source);
    },
  };
}

type Waiting = {
  open: Map<string, OpenPiece>;
  onPiece: (piece: Piece) => void;
  flush: (source: string) => void;
};

/** Keeps an incomplete dictionary until further lines arrive, unless it was cut off. */
function keepOpen({ open, onPiece, flush }: Waiting, piece: Piece, cut: Piece["cut"]): void {
  const before = open.get(piece.source);
  const inner = findInner(piece.text);
  if (inner !== -1) {
    open.delete(piece.source);
    onPiece({ ...piece, text: piece.text.slice(0, inner), cut: "runsOn" });
    onPiece({ ...piece, text: piece.text.slice(inner), numLines: 1 });
  } else if (cut === "end") {
    open.delete(piece.source);
    onPiece({ ...piece, cut });
  } else if (before?.line !== piece.line || before.text.length !== piece.text.length) {
    if (before?.line !== piece.line) flush(piece.source);
    open.set(piece.source, { ...piece, lastLength: piece.text.length });
  }
}

/** Position of an object inside an incomplete one, which shows that the latter was cut off; −1 if none. */
function findInner(text: string): number {
  const at = Math.max(text.lastIndexOf('{"'), text.lastIndexOf("{'"));
  if (at <= 0 || /[:,[(]\s*$/.test(text.slice(Math.max(0, at - 20), at))) return -1;
  return findEnd(text, at) === text.trimEnd().length ? at : -1;
}

/** Minimum width of a terminal, in characters: no terminal wraps a shorter line. */
const minWidth = 40;

/** True for a line that continues the open dictionary. Unrelated lines may occur between its lines. */
function goesOn(before: OpenPiece, { text, line }: Piece): boolean {
  if (isTooLong(before) || line === before.line || text.startsWith("{") || findVerl(text).length > 0) return false;
  if (/^\s*[}\])]/.test(text)) return true;
  // A pretty-printer breaks lines after a comma, a colon or a bracket; a terminal breaks them anywhere.
  const isPrinters = /[,:{[(]\s*$/.test(before.text);
  if (!isPrinters) return before.lastLength >= minWidth;
  return /^\s*(?:['"{}[\]()\d-]|None|True|False|NaN|nan|null|inf|np\.|tensor|array)/.test(text);
}

function isTooLong({ numLines, text }: Piece): boolean {
  return numLines >= maxJoinedLines || text.length > maxJoinedLength;
}

/** Patterns of prefixes that loggers put before a message: level, source line, logger name, label of a measurement. */
const heads: readonly RegExp[] = [
  /^[\s|:>�•-]+/,
  /^(?:\d{1,4}[-/.]\d\d(?:[-/.]\d{2,4})?[T ,])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/,
  // Anything in brackets: times, levels, names of loggers and processes.
  /^(?:\[[^\]{}]{0,100}\]|\([^){}]{0,100}\)|<[^>{}]{0,100}>)/,
  /^(?:INFO|DEBUG|WARNING|WARN|ERROR|SUCCESS|NOTICE|METRICS?)(?:[:|][\w.]+)*(?![A-Za-z])/i,
  /^[IWEDCF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /,
  /^(?:[\w./<>-]+:)+\d+\]?(?::\w+)?/,
  /^[\w./<>-]+(?:\(\d+\))? - /,
  // Fields of logfmt: `level=info`.
  /^\w+=(?:"[^"]*"|[^\s"{]+)/,
  /^(?:epoch|episode|rank|worker|batch|process)[ :=#]*\d+(?:\s*\/\s*\d+)?/i,
  /^(?:training |train |eval |evaluation )?(?:metrics|train|eval|logs?|training|evaluation|results?|msg)(?=[\s:=])\s*[:=]?\s*/i,
  // A name before a colon, such as a logger's, but none of those that print settings.
  /^(?!(?:config\w*|args|arguments|h?params|hyperparameters|options|settings|state|best\w*):)[A-Za-z][\w./-]*:(?=\s|[{[])/i,
];
const stepHead = /^(?:global[_ ]?)?(?:step|iteration|iter|update)[ :=#]*(\d+)(?:\s*\/\s*\d+)?/i;

/** Splits a line into a dictionary and the step in its logger's prefix; undefined if other words come first. */
export function splitHead(line: string): { body: string; step: number | undefined } | undefined {
  if (line.charCodeAt(0) === 123) return { body: line, step: undefined };
  const at = line.search(/\{\s*['"]/);
  if (at === -1) return undefined;
  let head = line.slice(0, at);
  let step: number | undefined;
  while (head !== "") {
    const [whole, number] = stepHead.exec(head) ?? [];
    if (number !== undefined) step = Number(number);
    const found = whole ?? heads.find((pattern) => pattern.test(head))?.exec(head)?.[0];
    if (found === undefined || found === "") return undefined;
    head = head.slice(found.length);
  }
  return { body: line.slice(at), step };
}
