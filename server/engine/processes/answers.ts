import { z } from "zod";
import { AppError, type AppErrorCode, type InputIssue } from "#packages/base";

/** Response of a process in a pool: a value, or an error that the user caused. */
const ProcessAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), value: z.unknown() }),
  z.object({
    kind: z.literal("refused"),
    // The error comes from the studio's own process, so its fields are not validated.
    code: z.custom<AppErrorCode>(),
    message: z.string(),
    issues: z.custom<readonly InputIssue[]>(),
  }),
]);
export type ProcessAnswer = z.infer<typeof ProcessAnswer>;

/** Runs `work` and returns its value, or its AppError as data that the calling process can throw. */
export async function answerOrRefuse(work: () => Promise<unknown>): Promise<ProcessAnswer> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "refused", code: error.code, message: error.message, issues: error.issues };
  }
}

export function valueOfAnswer(answer: unknown): unknown {
  const parsed = ProcessAnswer.parse(answer);
  if (parsed.kind === "refused") throw new AppError(parsed.code, parsed.message, { issues: parsed.issues });
  return parsed.value;
}
