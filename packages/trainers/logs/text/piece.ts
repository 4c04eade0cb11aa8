/** A piece of a log: a line, a part of a line between carriage returns, or a multi-line dictionary. */
export type Piece = {
  text: string;
  /** Line number in the file, from 1. */
  line: number;
  numLines: number;
  /** Process that printed the text, as named by the launcher's prefix; empty if there is no prefix. */
  source: string;
  /** Reason why the last number may be cut off. The piece is not read; for `bar`, that number was removed. */
  cut?: "end" | "runsOn" | "bar";
};
