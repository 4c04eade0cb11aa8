type Level = "info" | "warn" | "error";
type Fields = Record<string, string | number | boolean | undefined>;

export type Logger = Record<Level, (message: string, fields?: Fields) => void>;

/** Writes one line per message: time, level, source, text, `key=value` pairs. The supervisor stores the lines. */
export function makeLogger(
  name: string,
  // Unlike a stream, `console.error` does not end the process if a full disk prevents writing a line.
  write: (line: string) => unknown = (line) => console.error(line),
): Logger {
  const at =
    (level: Level) =>
    (message: string, fields: Fields = {}) => {
      const known = Object.entries(fields).filter(([, value]) => value !== undefined);
      const details = known.map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join("");
      write(`${new Date().toISOString()} ${level.padEnd(5)} ${name}: ${message}${details}`);
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
