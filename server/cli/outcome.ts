/** Result of a command: text, a JSON document, and an exit code. Remarks go to standard error in both formats. */
export type Outcome = {
  text: string;
  json: Record<string, unknown>;
  exitCode: 0 | 1 | 2;
  remarks?: readonly string[];
  /** True if the JSON document is the last of several lines of JSON. */
  isLine?: boolean;
};

/**
 * Properties of the output: columns and rows of a terminal (undefined for a pipe or file, where no text is cut), and
 * whether it shows colours.
 */
export type Screen = {
  width: number | undefined;
  height: number | undefined;
  hasColour: boolean;
  /** Writes text while a command runs; silent in JSON mode. */
  write: (text: string) => void;
  /** Writes one line of JSON while a command runs; absent in text mode. */
  writeJson?: (value: object) => void;
};
