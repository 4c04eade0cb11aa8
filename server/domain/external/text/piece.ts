/** One unit of a log: a line, a part of one between carriage returns, or a dictionary of several lines. */
export type Piece = {
  text: string;
  /** Line number in the file, from 1. */
  line: number;
  /** Lines that it takes. */
  numLines: number;
  /** The process that printed it, as the launcher's prefix names it; empty without one. */
  source: string;
  /** Why its last number may be cut. Such a piece is not read, but for `bar`, whose last number was taken off. */
  cut?: "end" | "runsOn" | "bar";
};
