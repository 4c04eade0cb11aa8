/** Result of a command: text, a JSON document, and an exit code. Remarks go to standard error in both formats. */
export type Outcome = {
  text: string;
  json: Record<string, unknown>;
  exitCode: 0 | 1 | 2;
  remarks?: readonly string[];
  /** True if the JSON document is the last of several lines. */
  isLine?: boolean;
};

/**
 * Where output goes: columns and rows of a terminal (undefined for a pipe or file, where nothing is cut), and whether
 * it shows colours.
 */
export type Screen = {
  width: number | undefined;
  height: number | undefined;
  hasColour: boolean;
  /** Writes text during a command; silent in JSON mode. */
  write: (text: string) => void;
  /** Writes one line of JSON during a command; absent in text mode. */
  writeJson?: (value: object) => void;
};
