import { z } from "zod";
import { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import type { Programs } from "../../programs.ts";
import { makeReplayLog, type ReplayReport } from "../../testing/replayLog.ts";
import { solutionPrelude, toFeedback } from "../feedback.ts";
import { makeTirMath } from "../tirMath.ts";

const Snippet = z.object({
  code: z.string(),
  stdout: z.string(),
  stderr_last: z.string(),
  observation: z.string(),
  done: z.boolean(),
});

const longFeedback = 256;

/** Replays recorded Python programs, one or a list per record, and compares output, error, feedback and ending. */
export function replayTirMath(records: readonly unknown[], programs: Programs | undefined): ReplayReport {
  if (programs === undefined) throw new Error("recorded programs need something that runs Python");
  const { python } = programs;
  const log = makeReplayLog();
  const environment = makeTirMath(TirMathSpec.parse({ id: "tirMath", feedbackTokens: longFeedback }), python);
  const snippets = records.flatMap((record) => z.union([z.array(Snippet), Snippet]).parse(record));
  for (const { code, stdout, stderr_last, observation, done } of snippets) {
    const run = python({ source: code, prelude: solutionPrelude });
    const turn = environment.step(environment.reset(0).state, `\`\`\`py\n${code}\n\`\`\``);
    const check = log.at(code);
    check("stdout", stdout, run.stdout);
    check("error", stderr_last, run.error);
    check("feedback", observation, toFeedback(run));
    check("observation", observation, turn.observation);
    check("done", done, turn.ending === "terminated");
  }
  return log.report();
}
