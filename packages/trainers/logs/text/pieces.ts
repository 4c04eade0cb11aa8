import type { Piece } from "./piece.ts";
import { makeJoiner } from "./joiner.ts";
import { z } from "zod";
import { parseJson } from "../pythonJson.ts";
import { dictionaryAt, findVerl } from "./printed.ts";

/**
 * Splits a log's lines into pieces with at most one measurement each. Colours, launcher prefixes and progress bars
 * are removed, and wrapped dictionaries are joined. Pieces that may end within a number are marked.
 */
export function makePieces(onPiece: (piece: Piece) => void) {
  const joiner = makeJoiner(onPiece, take);

  /** Adds the next line of the log. `isEnded`: a line feed follows, as after every line except the last. */
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

  /** `end` passes on the dictionaries that are still incomplete at the end of the log. */
  return { push, end: () => joiner.end() };
}

export function stripColours(line: string): string {
  if (!line.includes("\u001b")) return line;
  // oxlint-disable-next-line no-control-regex -- ANSI sequences begin with a control character.
  return line.replaceAll(/\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007|[()][A-Z0-9])/g, "");
}

/** True for a line that is probably a single JSON object; the test is fast, not exact. */
function isWholeObject(line: string): boolean {
  if (line.charCodeAt(0) !== 123 || line.charCodeAt(line.length - 1) !== 125) return false;
  if (line.includes("}{") || line.startsWith('{"log":')) return false;
  let [opened, closed] = [0, 0];
  for (let at = line.indexOf("{"); at !== -1; at = line.indexOf("{", at + 1)) opened += 1;
  for (let at = line.indexOf("}"); at !== -1; at = line.indexOf("}", at + 1)) closed += 1;
  return opened === closed;
}

/** Matches progress bars of tqdm, with or without a total, complete or interrupted by other output. */
const bar =
  /\d{1,3}%\|[^|]*\|(?:\s*[\d.,?]+[kKMG]?\/[\d.,?]+[kKMG]?)?\s*(?:\[(?:(?!step:\d|\{)[^\]])*\]?)?|\b\d+it \[(?:(?!step:\d|\{)[^\]])*\]?/g;

/** Splits a line at progress bars and their titles, which are removed. */
function cutBars(text: string): { parts: string[]; isBarLast: boolean } {
  if (!text.includes("%|") && !text.includes("it [")) return { parts: [text], isBarLast: false };
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(bar)) {
    const before = text.slice(from, match.index);
    // The words before a progress bar are its title.
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

/** Negative lookahead for words with a number that look like a host name but are none, such as `step-3`. */
const counters = "(?!(?:iter|iteration|step|epoch|batch|round|episode|update|it|ep|line|seed)[-_.]?\\d)";

/** Launchers' prefixes, each with a group for a process; the first match is used. */
const processes: readonly RegExp[] = [
  // Prefix of srun -l.
  /^\s*(\d{1,5}):(?!\d\d:\d\d) ?/,
  // Prefixes of torchrun: with --tee, and with a template for the prefix; then the ranks that PyTorch and NeMo print.
  /^\[[A-Za-z_]*?(?:rank|RANK|Rank)?[ :_=-]*(\d{1,5})\]:? ?/,
  /^\[\w+?\d+\|(\d{1,5})\]:? ?/,
  /^[[(]?(?:rank|RANK|Rank|local_rank|GPU|gpu)[ :_=-]*(\d{1,5})[\])]?(?:[/|]\d+)?[\])]?: ?/,
  // Prefix of mpirun --tag-output.
  /^\[\d+,(\d{1,5})\]<std(?:out|err)>: ?/,
  // Prefix of docker compose.
  /^([\w.]+(?:[-_][\w.]+)*[-_]\d+)\s*\| ?/,
  /^([a-z][\w.-]*)\s+\| /,
  // Prefix of kubectl logs --prefix.
  /^\[(pod\/[\w.-]+(?:\/[\w.-]+)?)\] ?/,
  // Prefix of pdsh and of DeepSpeed, with the address of a host.
  /^((?:\d{1,3}\.){3}\d{1,3}): /,
  new RegExp(`^(${counters}[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*[-.]?\\d+(?:\\.[\\w.-]+)?): `),
];

const time = String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`;

/** Patterns of prefixes that name no process: timestamps, and Ray's prefixes. */
const others: readonly RegExp[] = [
  new RegExp(`^(?:\\[${time}\\]|${time}):? (?:std(?:out|err) [FP] )?`),
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]+ [\w.-]+\[\d+\]: )?/,
  /^(?:\[\d\d:\d\d:\d\d(?:[.,]\d+)?\]|\d\d:\d\d:\d\d(?:[.,]\d+)?) /,
  /^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^\]]{1,80}\] ?/,
  /^\([\w .:<>-]*\bpid=\d+(?:, ip=[^)]*)?\) ?/,
];

/** A printed line without its launcher's prefix. `source`: the process that the prefix names. */
type Launched = { source: string; text: string };

function stripLauncher(line: string): Launched {
  const inner = line.startsWith('{"log":') ? unwrap(line) : line;
  let [text, source] = [inner, ""];
  // Prefixes may be nested: a timestamp, a pod, a rank.
  for (let depth = 0; depth < 6; depth++) {
    const of = processes.find((pattern) => pattern.test(text));
    const [whole, name] = (of ?? others.find((pattern) => pattern.test(text)))?.exec(text) ?? [];
    if (whole === undefined) break;
    if (of) source = source === "" ? (name ?? "") : `${source} ${name}`;
    text = text.slice(whole.length);
  }
  return { source, text };
}

/** Docker's log files contain one JSON object of this form per printed line. */
const DockerLine = z.object({ log: z.string(), stream: z.string() });

function unwrap(line: string): string {
  const found = DockerLine.safeParse(parseJson(line));
  return found.success ? found.data.log.replace(/\r?\n$/, "") : line;
}
