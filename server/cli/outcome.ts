/**
 * What a command has to say: as text, as one JSON document, and to the shell. Remarks go to standard error, whatever
 * the answer's form.
 */
export type Outcome = {
  text: string;
  json: Record<string, unknown>;
  exitCode: 0 | 1 | 2;
  remarks?: readonly string[];
  /** The JSON document is the last of some lines, and one itself. */
  isLine?: boolean;
};

/** Where text goes: columns and rows of a terminal (undefined: a pipe or file, never cut), and whether colour is welcome. */
export type Screen = {
  width: number | undefined;
  height: number | undefined;
  hasColour: boolean;
  /** Writes while a command is at work; silent when the answer is JSON. */
  write: (text: string) => void;
  /** Writes one line of JSON while a command is at work; absent where the answer is text. */
  writeJson?: (value: object) => void;
};
