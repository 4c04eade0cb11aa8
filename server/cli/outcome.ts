/** Result of a command: text, a JSON document, and an exit code. Remarks go to standard error in either format. */
export type Outcome = {
  text: string;
  json: Record<string, unknown>;
  exitCode: 0 | 1 | 2;
  remarks?: readonly string[];
  /** True if the JSON document is the last of several lines. */
  isLine?: boolean;
};

/** Output target: columns and rows of a terminal (undefined: a pipe or file, never cut), and colour support. */
export type Screen = {
  width: number | undefined;
  height: number | undefined;
  hasColour: boolean;
  /** Writes text during a command; silent in JSON mode. */
  write: (text: string) => void;
  /** Writes one line of JSON during a command; absent in text mode. */
  writeJson?: (value: object) => void;
};
