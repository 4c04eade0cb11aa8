import type { Screen } from "./outcome.ts";

type Stream = { isTTY?: boolean; columns?: number; rows?: number; write: (text: string) => unknown };

/** Colour only on a terminal, unless NO_COLOR (no-color.org) is set or the terminal is dumb. */
export function makeScreen(stream: Stream, environment: NodeJS.ProcessEnv, isJson: boolean): Screen {
  const isTerminal = stream.isTTY === true && !isJson;
  const refuses = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  return {
    // Read at each use: the window may be resized while a sweep is watched.
    get width() {
      return isTerminal ? (stream.columns ?? 80) : undefined;
    },
    get height() {
      return isTerminal ? (stream.rows ?? 24) : undefined;
    },
    hasColour: isTerminal && !refuses,
    write: (text) => void (isJson || stream.write(text)),
    ...(isJson && { writeJson: (value: object) => void stream.write(`${JSON.stringify(value)}\n`) }),
  };
}
