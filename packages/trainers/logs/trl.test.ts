import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeLineReader } from "./lineReader.ts";
import { readTrlPlan } from "./trl.ts";

/**
 * Logs written by the real trainer with `testing/makeTrlLogs.py`. `history` is the trainer's own log, with steps and
 * full precision.
 */
const Logs = z.object({
  logs: z.array(
    z.object({
      arguments: z.array(z.string()),
      checkpoint: z.object({ step: z.number(), epoch: z.number() }).optional(),
      lines: z.array(z.string()),
      history: z.array(z.looseObject({ step: z.number() })),
    }),
  ),
});
const { logs } = Logs.parse(JSON.parse(readFileSync(join(import.meta.dirname, "testing/trlLogs.json"), "utf8")));

const cases = logs.map((log) => ({
  ...log,
  title: `${log.arguments.join(" ")}${log.checkpoint ? `, ${log.lines.length} lines beside a checkpoint` : ""}`,
}));

describe("the steps of lines that Transformers prints", () => {
  it.each(cases)("are those that it logged at: $title", ({ arguments: argv, checkpoint, lines, history }) => {
    const read = makeLineReader("trlPrinted", { ...readTrlPlan(argv), checkpoint });
    const steps = lines.map((line) => read(line));
    const isClosing = history.map((entry) => "train_runtime" in entry);
    expect(steps.map((one, i) => (isClosing[i] ? "closing" : one?.step))).toEqual(
      history.map(({ step }, i) => (isClosing[i] ? "closing" : step)),
    );
    // The last line is recognised, but is not a measurement of a step.
    expect(steps.filter((_, i) => isClosing[i]).map((one) => one?.values)).toEqual(
      isClosing.filter(Boolean).map(() => ({})),
    );
    for (const [i, entry] of history.entries()) {
      for (const [key, value] of Object.entries(steps[i]?.values ?? {})) {
        expect(value, key).toBeCloseTo(Number(entry[key]), -Math.log10(Math.abs(Number(entry[key])) || 1) + 3);
      }
    }
  });

  it("follow each other where the command tells no interval, an evaluation with the step before it", () => {
    const read = makeLineReader("trlPrinted");
    const lines = ["{'eval_loss': 1}", "{'loss': 1}", "{'eval_loss': 1}", "{'loss': 1}", "{'note': 1}", "{'loss': 1}"];
    expect(lines.map((line) => read(line)?.step)).toEqual([0, 1, 1, 2, 2, 3]);
  });

  const stepsOf = (lines: readonly [reward: number, epoch: number][]) => {
    const read = makeLineReader("trlPrinted");
    return lines.map(([reward, epoch]) => read(`{'loss': 0.1, 'reward': ${reward}, 'epoch': ${epoch}}`)?.step);
  };

  it("are counted once where several nodes print each line", () => {
    const once = [0.1, 0.2, 0.3].map((reward): [number, number] => [reward, reward / 10]);
    expect(stepsOf(once.flatMap((line) => [line, line, line]))).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
    expect(stepsOf([...once, ...once])).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("go back with the epoch of a requeued job", () =>
    expect(stepsOf([0.01, 0.02, 0.03, 0.04, 0.03, 0.04, 0.05].map((epoch, i) => [i, epoch]))).toEqual([
      1, 2, 3, 4, 3, 4, 5,
    ]));

  it("differ where a log that has no copies repeats a line, since printed epochs are rounded", () =>
    expect(
      stepsOf([
        [0.1, 0.01],
        [0, 0.01],
        [0, 0.01],
        [0, 0.01],
      ]),
    ).toEqual([1, 2, 3, 4]));

  it("leave a closing line alone unread", () =>
    expect(makeLineReader("trlPrinted")("{'train_runtime': 3.0, 'train_loss': 0.1}")).toBeUndefined());
});

describe("the plan of a command", () => {
  it.each([
    [["--logging_steps=5", "--max_steps", "100", "--eval-steps", "0.2"], { loggingSteps: 5, evalSteps: 20 }],
    [["--logging_steps", "5", "--eval_strategy", "steps"], { loggingSteps: 5, evalSteps: 5 }],
    [["--logging_strategy", "epoch", "--logging_steps", "5"], { loggingSteps: undefined, evalSteps: undefined }],
    [["--eval_on_start", "--bf16"], { evaluatesOnStart: true }],
    [["--eval_on_start", "False"], { evaluatesOnStart: false }],
    [["--logging_steps", "0.5"], { loggingSteps: undefined }],
  ])("%j", (argv, expected) => expect(readTrlPlan(argv)).toMatchObject(expected));
});
