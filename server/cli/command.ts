import type { Database } from "#server/db/storage/client.ts";

/** Result of a command: text, the equivalent JSON document and an exit code. Remarks go to standard error. */
export type Outcome = {
  text: string;
  json: Record<string, unknown>;
  exitCode: 0 | 1 | 2;
  remarks?: readonly string[];
  /** True if the JSON document is printed on one line, as the last of several lines of JSON. */
  isLine?: boolean;
};

/** Without a terminal (pipe, file), `width` is undefined and no text is cut. */
export type Screen = {
  width: number | undefined;
  height: number | undefined;
  hasColour: boolean;
  /** Writes text while a command runs; silent in JSON mode. */
  write: (text: string) => void;
  /** Writes one line of JSON while a command runs; absent in text mode. */
  writeJson?: (value: object) => void;
};

/** Connection to a studio: database and URL. The URL is undefined if no studio process runs on the state folder. */
export type Studio = {
  database: Database;
  address: string | undefined;
  home: string;
  /** User name given by --as. It needs no permission check, because the caller can read the state folder. */
  person?: string | undefined;
};

/** Runs a command's work once its command line has been parsed. Errors before that are usage errors. */
export type Performer = {
  perform: (work: (screen: Screen) => Promise<Outcome>) => Promise<void>;
  /** Performs work with the database of the running studio, and closes the database afterwards. */
  performInStudio: (work: (studio: Studio, screen: Screen) => Promise<Outcome>) => Promise<void>;
};
