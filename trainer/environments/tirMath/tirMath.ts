import type { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Ending, Environment, PromptInput } from "../environment.ts";
import { findBoxed, isRight } from "./answer.ts";
import type { Programs, PythonRun } from "../programs.ts";
import { remember } from "../prompt.ts";
import { cutAfterCode, findCode, solutionPrelude, toFeedback } from "./feedback.ts";
import { advise, listActions, block, boxOf, toFinal } from "./expert.ts";
import { generateTask, type MathTask, describeTask, families, levelsOf } from "./generator.ts";
import type { TirMathState } from "./state.ts";
import { split } from "#trainer/spec/rng.ts";
import { commonWords, lexiconOf, makeCodec } from "./words.ts";

/**
 * Makes a TIR-Math environment (tool-integrated reasoning). The policy solves a problem over several turns, each with
 * a program to which the interpreter answers. The answer in `\boxed{…}` is checked by rule. All turns form one
 * transcript with the feedback masked (SimpleTIR).
 */
export function makeTirMath(spec: TirMathSpec, python: Programs["python"]): Environment<TirMathState> {
  const samples = sampleTexts(spec);
  const lexicon = lexiconOf([...samples.texts, ...samples.responses, ...messages]);
  const { toWords, fromWords } = makeCodec(lexicon);
  const longest = (texts: readonly string[]): number => Math.max(...texts.map((text) => countWords(toWords(text))));
  const maxResponse = longest(samples.responses) + spareWords;
  // Results are cached, so that equal programs of different episodes run once.
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
      // `limitWords` keeps up to three words more than `feedbackTokens`, the feedback's start and end marks included.
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

/** Number of words added to measured maximum lengths, because the samples may lack the longest numbers. */
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

/** Cuts the interpreter's feedback to `maxWords` + 3 words, its start and end marks included. */
function limitWords(
  text: string,
  maxWords: number,
  { toWords, fromWords }: Pick<Environment<TirMathState>, "toWords" | "fromWords">,
): string {
  const words = toWords(text).split(" ");
  return words.length <= maxWords + 3 ? text : `${fromWords(words.slice(0, maxWords + 2).join(" "))}\n`;
}

const instruction = [
  "Solve the math problem step by step. Whenever it helps, write a Python program in a fenced code block:",
  "```py",
  "# your program",
  "```",
  "It is run at once, and what it prints is returned after `Code execution result: `; use print() to see a value. " +
    "A program that calls final_answer(x) gives x as the answer.",
  "When you are sure, give the answer as the last line: \\boxed{your answer}",
].join("\n");

/** Renders the prompt: the instruction, the problem, then every turn's response with its feedback. */
function renderTranscript({ task, past, observation }: PromptInput): string {
  const turns = past.map(({ action }, i) => action + (past[i + 1]?.observation ?? observation));
  return `${instruction}\n\nProblem: ${task}\n\n${turns.join("")}`;
}

const rewardRanges = {
  sparse: [0, 1],
  plusMinus: [-1, 1],
  retool: [-1, 1],
  dense: [0, 1],
} as const satisfies Record<TirMathSpec["reward"], readonly [number, number]>;

type Turn = { before: TirMathState; after: TirMathState; ending: Ending };

/** Returns the reward of a turn. Unless `kind` is `dense`, the reward is 0 before the episode's last turn. */
function rewardOf(kind: TirMathSpec["reward"], { before, after, ending }: Turn): number {
  const solved = isSolved(after);
  if (kind === "dense") return earned(after) - earned(before);
  if (ending === "ongoing") return 0;
  if (solved) return 1;
  switch (kind) {
    case "sparse":
      return 0;
    case "plusMinus":
      return -1;
    case "retool":
      return Math.min(-0.6, -1 + 0.05 * (numMessages(after) - 2));
  }
}

/** Returns the reward earned so far: 0.1 if a program ran, 0.1 if one printed the answer, 0.8 for the answer. */
function earned(state: TirMathState): number {
  return (state.hasRun ? 0.1 : 0) + (state.hasPrinted ? 0.1 : 0) + (isSolved(state) ? 0.8 : 0);
}

/** Returns the number of messages as ReTool counts them: the problem, the turns and the tool's feedback. */
function numMessages({ turns, runs }: TirMathState): number {
  return 1 + turns + runs;
}

function isSolved({ isOver, answer, task }: TirMathState): boolean {
  return isOver && answer !== undefined && isRight(answer, task.answer);
}

const samplesPerTemplate = 12;

/** Frequent messages of Python interpreters, whose words are in the vocabulary of small policies. */
const messages = [
  "NameError: name 'result' is not defined. Did you mean",
  "SyntaxError: invalid syntax. Perhaps you forgot a comma",
  "SyntaxError: unmatched was never closed unterminated string literal",
  "SyntaxError: expected cannot assign to literal here. Maybe you meant instead of",
  "IndentationError: unexpected indent expected an indented block after 'for' statement on line",
  "IndentationError: unindent does not match any outer indentation level",
  "TypeError: unsupported operand type(s) for int and str list",
  "TypeError: object is not callable iterable",
  "ZeroDivisionError: integer modulo by zero division or",
  "ValueError IndexError list index out of range AttributeError has no attribute",
  "interpreter timeout None True False",
] as const;

/** Samples problems of every template and level, and returns their texts and their programs as responses. */
function sampleTexts(spec: TirMathSpec): { texts: readonly string[]; responses: readonly string[] } {
  const tasks = spec.families.flatMap((family) =>
    families[family].flatMap((template) =>
      levelsOf(spec).flatMap((level) =>
        Array.from({ length: samplesPerTemplate }, (_, i) =>
          describeTask(family, template.name, template.make(level, split(i, "sample", family, template.name, level))),
        ),
      ),
    ),
  );
  const programs = tasks.flatMap(({ program, faulty, decoys }) => [program, toFinal(program), faulty, ...decoys]);
  return {
    texts: tasks.map(({ text }) => text),
    responses: [...new Set(programs)].map(block).concat(boxOf("-9999")),
  };
}
