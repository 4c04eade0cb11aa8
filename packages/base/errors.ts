export type AppErrorCode =
  | "bad_input"
  | "too_large"
  | "not_found"
  | "conflict"
  | "too_many"
  | "unavailable"
  | "internal";

/** Error in an input: dotted path of the field (indices in brackets), message, and line number of a file. */
export type InputIssue = {
  path: string;
  message: string;
  line?: number;
  /** Suggested replacement: a value that the field would accept. */
  instead?: string;
};

const brand = Symbol.for("arlarena.AppError");

/** Expected failure. Its message states the problem and, for a limit, the value that exceeds it. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly issues: readonly InputIssue[];
  readonly [brand] = true;

  /** Compares a brand property: Next.js builds this module into several bundles, which catch each other's errors. */
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

/** Makes a `bad_input` error whose message lists the issues, one per line. */
export function badInput(issues: readonly InputIssue[]): AppError {
  return new AppError("bad_input", issues.map(formatIssue).join("\n"), { issues });
}

export function formatIssue({ path, message, line }: InputIssue): string {
  const where = line === undefined ? path : path === "" ? `line ${line}` : `line ${line}, ${path}`;
  return where === "" ? message : `${where}: ${message}`;
}

/** Default branch of an exhaustive switch, which the compiler checks is never reached. */
export function assertNever(x: never): never {
  throw new AppError("internal", `unexpected ${JSON.stringify(x)}`);
}
