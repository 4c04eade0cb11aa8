import { makeLineReader, type LineDialect } from "../lineReader.ts";
import type { LoggedStep } from "../point.ts";
import type { TrlPlan } from "../trl.ts";
import type { Piece } from "./piece.ts";
import { makePieces } from "./pieces.ts";
import { isListMark, makeLeftOut } from "./readPieces.ts";

type Sink = { add: (step: LoggedStep) => void; unread: (line: string) => void };
type Kind = { dialect: LineDialect; plan: TrlPlan };

/** An open stream: `onLine` receives its lines in order, `onLong` a description of a line too long to read. */
export type LiveStream = {
  onLine: (line: string, number: number, isEnded: boolean) => void;
  onLong: (line: string) => void;
  end: () => void;
};

/** Reads a growing log. If several processes print measurements, keeps the first's and those that name no process. */
export function makeLiveReader({ dialect, plan }: Kind, { add, unread }: Sink) {
  const plain = makeLineReader(dialect, plan);
  const readers = new Map<string, ReturnType<typeof makeLineReader>>([["", plain]]);
  const left = makeLeftOut();
  const others = new Set<string>();
  let kept: string | undefined;
  let numLeft = 0;
  const takePiece = (piece: Piece) => {
    if (left.takes(piece) || isListMark(piece.text)) return;
    const { source, text } = piece;
    const read = readers.get(source) ?? makeLineReader(dialect, plan);
    readers.set(source, read);
    const step = read(text);
    if (!step) {
      if (text.trim() !== "") unread(text);
      return;
    }
    if (source !== "" && Object.keys(step.values).length > 0) kept ??= source;
    if (source === "" || source === kept) add(step);
    else if (Object.keys(step.values).length > 0) {
      others.add(source);
      numLeft += 1;
    }
  };
  return {
    openStream(): LiveStream {
      const cutter = makePieces(takePiece);
      return { onLine: cutter.push, onLong: unread, end: () => cutter.end() };
    },
    /** Returns notes on dropped lines, complete once the log has ended. */
    notes(): string[] {
      const also = `${others.size + 1} processes print measurements: those of ${kept} are read, ${numLeft} of others left out`;
      return [...(numLeft > 0 ? [also] : []), ...left.say()];
    },
  };
}
