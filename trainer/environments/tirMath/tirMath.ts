import type { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Ending, Environment } from "../environment.ts";
import { findBoxed } from "./answer.ts";
import type { Programs, PythonRun } from "../programs.ts";
import { remember } from "../prompt.ts";
import { cutAfterCode, findCode, solutionPrelude, toFeedback } from "./feedback.ts";
import { advise, listActions } from "./expert.ts";
import { generateTask, type MathTask } from "./generator.ts";
import { instruction, renderTranscript } from "./prompt.ts";
import { isSolved, rewardOf, rewardRanges } from "./reward.ts";
import type { TirMathState } from "./state.ts";
import { messages, sampleTexts } from "./samples.ts";
import { commonWords, lexiconOf, makeCodec } from "./words.ts";

/**
 * TIR-Math: a problem, turns of text with one program each followed by the interpreter's feedback, and an answer in
 * `\boxed{…}`, checked by rule. All turns form one transcript with the feedback masked (SimpleTIR).
 */
export function makeTirMath(spec: TirMathSpec, python: Programs["python"]): Environment<TirMathState> {
  const samples = sampleTexts(spec);
  const lexicon = lexiconOf([...samples.texts, ...samples.responses, ...messages]);
  const { toWords, fromWords } = makeCodec(lexicon);
  const longest = (texts: readonly string[]): number => Math.max(...texts.map((text) => countWords(toWords(text))));
  const maxResponse = longest(samples.responses) + spareWords;
  // Equal programs run once.
  const execute = remember((source: string) => python({ source, prelude: solutionPrelude }), 2000);
  const limit = (text: string): string => limitWords(text, spec.feedbackTokens, { toWords, fromWords });
  return {
    reset(seed) {
      const state = begin(generateTask(spec, seed));
      return { state, observation: state.observation };
    },
    step(before, action) {
      const state = act(before, action, { execute, limit });
      const ending = toEnding(state, spec.maxTurns);
      return {
        state,
        observation: state.observation,
        reward: rewardOf(spec.reward, { before, after: state, ending }),
        ending,
      };
    },
    project(_, response) {
      const action = cutAfterCode(response);
      const isFormatValid = findCode(action) !== undefined || action.includes("\\boxed{");
      return { isFormatValid, isActionValid: isFormatValid, action };
    },
    admissibleActions: listActions,
    expert: (state, rng) => advise(state, spec.maxTurns, rng),
    formatResponse: ({ thought, action }) => (thought === "" ? action : `${thought}\n${action}`),
    task: ({ task }) => task.text,
    anchor: ({ task, observation, turns }) => (turns === 0 ? task.text : observation),
    isSuccess: isSolved,
    taskType: ({ task }) => task.family,
    optimalLength: () => 1,
    toWords,
    fromWords,
    renderFull: renderTranscript,
    taskTypes: spec.families,
    instruction,
    words: [...commonWords, ...lexicon],
    maxWords: {
      task: longest(samples.texts) + spareWords,
      // The limit on the feedback's words excludes its start and end marks.
      observation: spec.feedbackTokens + 3,
      action: maxResponse,
      response: maxResponse,
      admissible: 0,
    },
    rewardRange: rewardRanges[spec.reward],
    maxTurns: spec.maxTurns,
    shape: usualShapes.tirMath,
  };
}

/** Margin, because the samples may not contain the longest numbers. */
const spareWords = 6;

function countWords(words: string): number {
  return words === "" ? 0 : words.split(" ").length;
}

function begin(task: MathTask): TirMathState {
  return {
    task,
    observation: "",
    turns: 0,
    runs: 0,
    code: undefined,
    output: undefined,
    hasRun: false,
    hasPrinted: false,
    answer: undefined,
    isOver: false,
  };
}

type Tools = { execute: (source: string) => PythonRun; limit: (text: string) => string };

function act(state: TirMathState, action: string, { execute, limit }: Tools): TirMathState {
  const turns = state.turns + 1;
  const boxed = findBoxed(action);
  const isAnswered = action.includes("\\boxed{");
  const code = findCode(action);
  if (code === undefined) return { ...state, turns, observation: "", answer: boxed ?? state.answer, isOver: true };
  const run = execute(code);
  const ran = run.error === "" && !run.isTimeout;
  const feedback = toFeedback(run);
  return {
    ...state,
    turns,
    runs: state.runs + 1,
    observation: limit(feedback),
    code,
    output: ran ? run.stdout : undefined,
    hasRun: state.hasRun || ran,
    hasPrinted: state.hasPrinted || (ran && prints(run.stdout, state.task.answer)),
    answer: findBoxed(feedback) ?? boxed ?? state.answer,
    isOver: isAnswered || run.stdout.includes("\\boxed{"),
  };
}

function prints(stdout: string, answer: string): boolean {
  return stdout.split(/[^-\d.]+/).includes(answer);
}

function toEnding({ isOver, turns }: TirMathState, maxTurns: number): Ending {
  if (isOver) return "terminated";
  return turns >= maxTurns ? "truncated" : "ongoing";
}

/** Cuts the text between the marks to `feedbackTokens` words. */
function limitWords(
  text: string,
  maxWords: number,
  { toWords, fromWords }: Pick<Environment<TirMathState>, "toWords" | "fromWords">,
): string {
  const words = toWords(text).split(" ");
  return words.length <= maxWords + 3 ? text : `${fromWords(words.slice(0, maxWords + 2).join(" "))}\n`;
}
