/** A piece of a log: a line, a part of a line between carriage returns, or a multi-line dictionary. */
export type Piece = {
  text: string;
  /** Line number in the file, from 1. */
  line: number;
  numLines: number;
  /** Process that printed the text, as named by the launcher's prefix; empty if there is no prefix. */
  source: string;
  /**
   * Reason why the last number of the text may be cut off. Such a piece is not read, except for `bar`, where the last
   * number was removed.
   */
  cut?: "end" | "runsOn" | "bar";
};
