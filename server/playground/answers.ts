import { z } from "zod";
import { AppError, type AppErrorCode } from "#server/domain/errors.ts";

/** What a playing process answers: a value, or the error that a person made. */
export const PlayedAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), value: z.unknown() }),
  z.object({
    kind: z.literal("refused"),
    // Our own process named it.
    code: z.custom<AppErrorCode>(),
    message: z.string(),
  }),
]);
export type PlayedAnswer = z.infer<typeof PlayedAnswer>;

/** Carries an AppError over to the process that asked. */
export async function answerOrRefuse(work: () => Promise<unknown>): Promise<PlayedAnswer> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "refused", code: error.code, message: error.message };
  }
}
