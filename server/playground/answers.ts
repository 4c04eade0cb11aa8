import { z } from "zod";
import { AppError } from "../domain/errors.ts";

/** What a playing process answers: a value, or the error that a person made. */
export const PlayedAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), value: z.unknown() }),
  z.object({
    kind: z.literal("refused"),
    code: z.enum(["bad_input", "not_found", "conflict", "unavailable", "internal"]),
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
