/** A piece of a log: a line, a part of one between carriage returns, or a multi-line dictionary. */
export type Piece = {
  text: string;
  /** Line number in the file, from 1. */
  line: number;
  numLines: number;
  /** Process that printed it, by the launcher's prefix; empty if there is none. */
  source: string;
  /**
   * Reason why its last number may be cut off. Such a piece is not read, except for `bar`, whose last number was
   * removed.
   */
  cut?: "end" | "runsOn" | "bar";
};
