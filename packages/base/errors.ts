export type AppErrorCode =
  | "bad_input"
  | "too_large"
  | "not_found"
  | "conflict"
  | "too_many"
  | "unavailable"
  | "internal";

/** An error in an input: dotted path (indices in brackets), message, and the line if it came from a file. */
export type InputIssue = {
  path: string;
  message: string;
  line?: number;
  /** A value that the path would accept. */
  instead?: string;
};

const brand = Symbol.for("arlarena.AppError");

/**
 * The only error class that is thrown on purpose. The message says what is wrong, where, and which number exceeded
 * which limit.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly issues: readonly InputIssue[];
  readonly [brand] = true;

  /** Next.js builds this module into several bundles, and one may catch an error that another threw. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }

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

/** Default branch of an exhaustive switch; the compiler checks that it is never reached. */
export function assertNever(x: never): never {
  throw new AppError("internal", `unexpected ${JSON.stringify(x)}`);
}
