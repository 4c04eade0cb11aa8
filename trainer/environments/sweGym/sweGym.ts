import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { usualShapes } from "#trainer/spec/rowTokens.ts";
import type { Ending, Environment, PromptInput } from "../environment.ts";
import type { Programs } from "../programs.ts";
import { remember } from "../prompt.ts";
import { parseLeniently, parseResponse } from "../response.ts";
import { makeGrader } from "./checking/grade.ts";
import { parseCommand, type Command } from "./command.ts";
import { advise, turnsToGo, type Knowledge } from "./expert.ts";
import { makeCodec } from "./language/codec.ts";
import { perform } from "./perform.ts";
import { makeGenerator } from "./tasks/generator.ts";
import type { Task } from "./tasks/task.ts";
import { maxCallWords, maxResultWords } from "./tasks/tests.ts";
import { longestLine, vocabularyOf } from "./vocabulary.ts";
import { absolutePath, relativePath, root, type Workspace } from "./workspace.ts";

export type SweGymState = Omit<Knowledge, "turnsLeft"> & {
  readonly passRatio: number;
  readonly turns: number;
  readonly isSubmitted: boolean;
  readonly observation: string;
};

/**
 * Makes a small version of SWE-Gym: an issue, a repository with a bug, an editor, and tests. An episode ends with the
 * submission, or with the last turn, which submits the working tree. `python` runs the tests.
 */
export function makeSweGym(spec: SweGymSpec, python: Programs["python"]): Environment<SweGymState> {
  const words = vocabularyOf(spec);
  const { toWords, fromWords } = makeCodec(new Set(words));
  const grader = makeGrader(python);
  const countWords = (text: string): number => (text === "" ? 0 : toWords(text).split(" ").length);
  const bounds = boundsOf(spec, countWords);
  const clip = makeClip(bounds.observation, countWords);
  const generate = makeGenerator(python, spec);
  // Tasks are cached by seed, because all episodes of a group begin with the same task.
  const startOf = remember((seed: number) => begin(generate(seed), clip), 2_000);
  return {
    reset(seed) {
      const state = startOf(seed);
      return { state, observation: state.observation };
    },
    step(before, action) {
      const acted = act(before, action, { ...grader, clip });
      const ending = endingOf(spec, acted);
      return {
        state: acted,
        observation: acted.observation,
        reward: rewardOf(spec, before, { ...acted, ending }),
        ending,
      };
    },
    project: (_, response) => project(response, spec.projection),
    admissibleActions,
    expert: (state, rng) => advise({ ...state, turnsLeft: spec.maxTurns - state.turns }, rng),
    task: ({ task }) => task.issue,
    anchor: ({ workspace, task, observation }) => {
      const changes = Object.entries(workspace.files).filter(([path, text]) => task.files[path] !== text);
      return [observation, ...changes.map(([path, text]) => `${path}\n${text}`)].join("\n");
    },
    isSuccess: (state) => isResolved(state) && isOver(spec, state),
    taskType: ({ task }) => task.family,
    score: scoreOf,
    optimalLength: (state) => (state.isSubmitted ? 0 : turnsToGo({ ...state, turnsLeft: 0 })),
    toWords,
    fromWords,
    renderFull,
    taskTypes: [...spec.bugFamilies, "wrong_callee"],
    instruction,
    words,
    maxWords: bounds,
    rewardRange: spec.reward === "dense" ? [-1, 1] : [0, 1],
    maxTurns: spec.maxTurns,
    shape: usualShapes.sweGym,
  };
}

const instruction = `You are a software engineer at a terminal. A repository of Python modules is in ${root}; code is in ${root}/src, tests are in ${root}/tests.
Commands, one a turn:
ls [PATH]
search TEXT
view PATH [FIRST LAST]
edit PATH LINE : NEW TEXT OF THAT LINE
str_replace_editor view|create|str_replace|insert|undo_edit PATH [--view_range FIRST LAST] [--file_text TEXT] [--old_str TEXT] [--new_str TEXT] [--insert_line LINE]
test [PATH]
submit`;

/** Renders the prompt as one growing conversation, as in SWE-agent: repository, issue, instructions, turns. */
function renderFull({ task, observation, past }: PromptInput): string {
  const turns = past.flatMap(({ observation: seen, action }) => [`OBSERVATION:\n${seen}`, `ACTION:\n${action}`]);
  return [
    instruction,
    "",
    `<uploaded_files>\n${root}\n</uploaded_files>`,
    `A user reports this issue:\n<pr_description>\n${task}\n</pr_description>`,
    "Change the code so that the issue is resolved. The tests are there already and need no change.",
    "A way to do it: 1. Find the code in question. 2. See what goes wrong. 3. Edit the code. 4. Run the tests. 5. Submit.",
    "First reason inside <think> </think> tags, then give one command inside <action> </action> tags.",
    "",
    ...turns,
    `OBSERVATION:\n${observation}`,
  ].join("\n");
}

type Clip = (text: string) => string;

function begin(task: Task, clip: Clip): SweGymState {
  const numPassing = task.passToPass.length;
  return {
    task,
    workspace: { files: task.files, history: {} },
    viewed: [],
    hasSearched: false,
    hasTested: false,
    passRatio: numPassing / (numPassing + task.failToPass.length),
    turns: 0,
    isSubmitted: false,
    observation: clip(Object.keys(task.files).map(relativePath).join("\n")),
  };
}

/** Returns the state after an action. `test` runs test files; `passRatio` gives the fraction of passing tests. */
function act(
  before: SweGymState,
  action: string,
  { test, passRatio, clip }: ReturnType<typeof makeGrader> & { clip: Clip },
): SweGymState {
  const turns = before.turns + 1;
  const command = parseCommand(action);
  if (command === undefined) return { ...before, turns, observation: "Invalid command." };
  if (command.kind === "submit") {
    return { ...before, turns, isSubmitted: true, observation: "The changes have been submitted." };
  }
  const { text, workspace } = perform(before.workspace, command, test);
  const isChanged = workspace.files !== before.workspace.files;
  return {
    ...before,
    workspace,
    ...learn(before, command),
    hasTested: command.kind === "test" || (before.hasTested && !isChanged),
    passRatio: isChanged ? passRatio(before.task, workspace.files) : before.passRatio,
    turns,
    observation: clip(text),
  };
}

function boundsOf(spec: SweGymSpec, countWords: (text: string) => number): Environment<SweGymState>["maxWords"] {
  const action = longestLine(spec, countWords) + 6;
  return {
    // Maximum words of an issue: a failing call, its actual and its correct result, and the words between them.
    task: maxCallWords + 2 * maxResultWords + 12,
    // Maximum words of a code file with line numbers. Longer test files are cut.
    observation: 64 + 56 * spec.functionsPerFile,
    action,
    // Maximum words of a response: four tags, a thought with bug family and line number, and the action.
    response: 4 + 7 + action,
    admissible: 0,
  };
}

function project(
  response: string,
  projection: SweGymSpec["projection"],
): ReturnType<Environment<SweGymState>["project"]> {
  const { isFormatValid, isTagged, action } =
    projection === "strict" ? parseResponse(response) : parseLeniently(response, 30);
  // The parsed action is in lower case, so its original case is taken from the response: code is case-sensitive.
  const verbatim = isTagged ? (/<action>([^]*?)<\/action>/i.exec(response)?.[1]?.trim() ?? action) : action;
  return { isFormatValid, isActionValid: isFormatValid && parseCommand(verbatim) !== undefined, action: verbatim };
}

/** Returns the admissible actions that contain no code, such as listing, viewing and testing. */
function admissibleActions({ task, workspace }: SweGymState): readonly string[] {
  const paths = Object.keys(workspace.files);
  const undoable = Object.entries(workspace.history).filter(([, texts]) => texts.length > 0);
  return [
    "ls",
    `search ${task.keyword}`,
    ...paths.map((path) => `view ${relativePath(path)}`),
    ...undoable.map(([path]) => `str_replace_editor undo_edit ${path}`),
    "test",
    "submit",
  ];
}

/** Returns which files the expert has viewed, and if it has searched for the function, after a command. */
function learn(
  { viewed, task, hasSearched }: SweGymState,
  command: Command,
): Pick<SweGymState, "viewed" | "hasSearched"> {
  if (command.kind === "search") return { viewed, hasSearched: hasSearched || command.text === task.keyword };
  if (command.kind !== "view" || command.range !== undefined) return { viewed, hasSearched };
  const path = absolutePath(command.path);
  return { viewed: viewed.includes(path) ? viewed : [...viewed, path], hasSearched };
}

function isResolved({ passRatio }: SweGymState): boolean {
  return passRatio === 1;
}

function isOver({ maxTurns }: SweGymSpec, { isSubmitted, turns }: SweGymState): boolean {
  return isSubmitted || turns >= maxTurns;
}

/** Returns how the episode ends. A last turn with a repaired working tree counts as terminated, not truncated. */
function endingOf(spec: SweGymSpec, state: SweGymState): Ending {
  if (!isOver(spec, state)) return "ongoing";
  return state.isSubmitted || isResolved(state) ? "terminated" : "truncated";
}

/** Returns the fraction of the task's tests that pass; 0 for an unchanged repository (SWE-Gym's empty patch). */
function scoreOf({ task, workspace, passRatio }: Pick<SweGymState, "task" | "workspace" | "passRatio">): number {
  return hasPatch(task, workspace) ? passRatio : 0;
}

function hasPatch(task: Task, { files }: Workspace): boolean {
  return Object.keys(files).some((path) => files[path] !== task.files[path]);
}

function rewardOf({ reward }: SweGymSpec, before: SweGymState, after: SweGymState & { ending: Ending }): number {
  switch (reward) {
    case "resolved":
      return after.ending !== "ongoing" && isResolved(after) ? 1 : 0;
    case "passRatio":
      return after.ending === "ongoing" ? 0 : scoreOf(after);
    case "dense":
      return after.passRatio - before.passRatio;
  }
}

/** Returns a function that cuts a text at a line break to `maxWords` words, including a remark about the cut. */
function makeClip(maxWords: number, countWords: (text: string) => number): Clip {
  return (text) => {
    if (text.length <= maxWords || countWords(text) <= maxWords) return text;
    const kept: string[] = [];
    let room = maxWords - 2;
    for (const line of text.split("\n")) {
      room -= countWords(line) + 1;
      if (room < 0) break;
      kept.push(line);
    }
    return [...kept, "<response clipped>"].join("\n");
  };
}
