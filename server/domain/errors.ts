export type AppErrorCode =
  "bad_input" | "too_large" | "not_found" | "conflict" | "too_many" | "unavailable" | "internal";

/** One thing wrong with an input: where (dotted path, indices in brackets), what, and the line of a file if it came from one. */
export type InputIssue = { path: string; message: string; line?: number };

/** The one error this product throws on purpose. The message says what, where, and the number that was too large. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly issues: readonly InputIssue[];

  constructor(code: AppErrorCode, message: string, details: { cause?: unknown; issues?: readonly InputIssue[] } = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.issues = details.issues ?? [];
  }
}

/** A `bad_input` error whose message is its issues, one per line. */
export function badInput(issues: readonly InputIssue[]): AppError {
  return new AppError("bad_input", issues.map(formatIssue).join("\n"), { issues });
}

export function formatIssue({ path, message, line }: InputIssue): string {
  const where = line === undefined ? path : path === "" ? `line ${line}` : `line ${line}, ${path}`;
  return where === "" ? message : `${where}: ${message}`;
}

/** For the default branch of an exhaustive switch: the compiler proves that it is never reached. */
export function assertNever(x: never): never {
  throw new AppError("internal", `unexpected ${JSON.stringify(x)}`);
}
