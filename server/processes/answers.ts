import { z } from "zod";
import { AppError, type AppErrorCode, type InputIssue } from "#server/domain/errors.ts";

/** The answer of a lent process: a value, or the error that a person made. */
const ProcessAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), value: z.unknown() }),
  z.object({
    kind: z.literal("refused"),
    // Our own process named it.
    code: z.custom<AppErrorCode>(),
    message: z.string(),
    issues: z.custom<readonly InputIssue[]>(),
  }),
]);
export type ProcessAnswer = z.infer<typeof ProcessAnswer>;

/** Carries an AppError over to the process that asked. */
export async function answerOrRefuse(work: () => Promise<unknown>): Promise<ProcessAnswer> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "refused", code: error.code, message: error.message, issues: error.issues };
  }
}

/** The value of an answer; throws the error that it carries. */
export function valueOfAnswer(answer: unknown): unknown {
  const parsed = ProcessAnswer.parse(answer);
  if (parsed.kind === "refused") throw new AppError(parsed.code, parsed.message, { issues: parsed.issues });
  return parsed.value;
}
