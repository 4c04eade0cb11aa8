import { z } from "zod";
import { AppError, type AppErrorCode, type InputIssue } from "#packages/base";

/** Answer of a pool process: a value, or an error caused by the user. */
const ProcessAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), value: z.unknown() }),
  z.object({
    kind: z.literal("refused"),
    // Value created by our own process, and therefore not validated.
    code: z.custom<AppErrorCode>(),
    message: z.string(),
    issues: z.custom<readonly InputIssue[]>(),
  }),
]);
export type ProcessAnswer = z.infer<typeof ProcessAnswer>;

/** Transfers an AppError to the calling process. */
export async function answerOrRefuse(work: () => Promise<unknown>): Promise<ProcessAnswer> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "refused", code: error.code, message: error.message, issues: error.issues };
  }
}

/** Returns the value of an answer; throws the error that it contains. */
export function valueOfAnswer(answer: unknown): unknown {
  const parsed = ProcessAnswer.parse(answer);
  if (parsed.kind === "refused") throw new AppError(parsed.code, parsed.message, { issues: parsed.issues });
  return parsed.value;
}
