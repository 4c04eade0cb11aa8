/**
 * Result of a command: text, the equivalent JSON document, and an exit code. Remarks go to standard error in both
 * formats.
 */
export type Outcome = {
  text: string;
  json: Record<string, unknown>;
  exitCode: 0 | 1 | 2;
  remarks?: readonly string[];
  /** True if the JSON document is printed on one line, as the last of several lines of JSON. */
  isLine?: boolean;
};

/**
 * Properties of the output: columns and rows of a terminal, and whether it shows colours. Without a terminal (pipe,
 * file), `width` is undefined and no text is cut.
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
