import { describe, expect, it } from "vitest";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { TirMathSpec } from "#trainer/spec/environments/tirMath.ts";
import { split } from "#trainer/spec/rng.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { toTaskFamily } from "../episode.ts";
import { hostileActions } from "../testing/hostile.ts";
import { families, generateTask } from "./generator.ts";
import { makeTirMath } from "./tirMath.ts";

const everything = TirMathSpec.shape.families.unwrap().element.options;
const spec = TirMathSpec.parse({ id: "tirMath" });
const hardest = TirMathSpec.parse({ id: "tirMath", families: everything, maxLevel: 5 });
const python = await loadPython();
const make = (of: TirMathSpec) => makeTirMath(of, python);
const runPython = (source: string) => python({ source });
const tirMath = make(spec);
const block = (...lines: string[]): string => ["```py", ...lines, "```"].join("\n");

describe("a turn", () => {
  const { state } = tirMath.reset(0);
  const { answer } = state.task;

  it("runs the program and feeds back what it printed, or its error", () => {
    const turn = tirMath.step(state, block("print(6 * 7)"));
    expect([turn.observation, turn.ending, turn.reward]).toEqual(["\nCode execution result: 42\n\n", "ongoing", 0]);
    expect(tirMath.step(state, block("print(1 / 0)")).observation).toBe(
      "\nCode execution result: ZeroDivisionError: division by zero\n",
    );
    expect(tirMath.step(state, block("x = 1")).observation).toBe("\nCode execution result: \n");
    expect(tirMath.step(state, block("while True: pass")).observation).toBe(
      "\nCode execution result: interpreter timeout\n",
    );
  });

  it("ends with an answer, right or wrong", () => {
    const right = tirMath.step(state, `The answer is \\boxed{${answer}}`);
    expect([right.ending, right.reward, tirMath.isSuccess(right.state)]).toEqual(["terminated", 1, true]);
    const wrong = tirMath.step(state, "\\boxed{123456}");
    expect([wrong.ending, wrong.reward, tirMath.isSuccess(wrong.state)]).toEqual(["terminated", 0, false]);
  });

  it("ends when the program gives the answer", () => {
    const turn = tirMath.step(state, block(`final_answer(${answer})`));
    expect([turn.observation, turn.ending, turn.reward]).toEqual([
      `\nCode execution result: \\boxed{${answer}}\n\n`,
      "terminated",
      1,
    ]);
  });

  it("runs the program of a turn that answers too, whose output has the last word", () => {
    const turn = tirMath.step(state, `\\boxed{1000001}\n${block(`final_answer(${answer})`)}`);
    expect([turn.ending, turn.reward]).toEqual(["terminated", 1]);
  });

  it("that says nothing ends the episode: neither program nor answer", () => {
    for (const text of ["", "let me think", "```py print(1)```", "<action>look</action>"]) {
      const turn = tirMath.step(state, text);
      expect([turn.ending, turn.reward, tirMath.isSuccess(turn.state)]).toEqual(["terminated", 0, false]);
      expect(tirMath.project(state, text)).toEqual({ isFormatValid: false, isActionValid: false, action: text });
    }
  });

  it("is cut after its first program", () => {
    const response = `First:\n${block("print(1)")}\nthen \\boxed{5} and ${block("print(2)")}`;
    expect(tirMath.project(state, response)).toEqual({
      isFormatValid: true,
      isActionValid: true,
      action: `First:${block("print(1)")}`,
    });
  });

  it("shows long output cut in the middle, then to so many words", () => {
    const long = make({ ...spec, feedbackTokens: 256 });
    const { observation } = long.step(state, block("print('ab' * 1000)"));
    expect(long.toWords(observation).split(" ").length).toBeLessThanOrEqual(256 + 3);
    const digits = tirMath.step(state, block("print(7 ** 400)")).observation;
    expect(tirMath.toWords(digits).split(" ")).toHaveLength(spec.feedbackTokens + 3);
    expect(digits.endsWith("\n")).toBe(true);
  });

  it("is the last of its episode at the limit", () => {
    let { state: at } = tirMath.reset(3);
    const endings = Array.from({ length: spec.maxTurns }, () => {
      const turn = tirMath.step(at, block("print(1)"));
      at = turn.state;
      return turn.ending;
    });
    expect(endings).toEqual(["ongoing", "ongoing", "ongoing", "truncated"]);
  });
});

describe("rewards", () => {
  const play = (reward: TirMathSpec["reward"], ...actions: string[]): number[] => {
    const environment = make({ ...spec, reward });
    let { state } = environment.reset(7);
    return actions.map((action) => {
      const turn = environment.step(state, action.replace("ANSWER", state.task.answer));
      state = turn.state;
      return Number(turn.reward.toFixed(6));
    });
  };
  const [solve, miss] = ["\\boxed{ANSWER}", "\\boxed{-7777}"];
  const [run, show, fail] = [block("x = 1"), block("print(ANSWER)"), block("print(nothing)")];

  it("sparse and ±1 pay the answer", () => {
    expect(play("sparse", run, solve)).toEqual([0, 1]);
    expect(play("plusMinus", run, solve)).toEqual([0, 1]);
    expect(play("plusMinus", run, miss)).toEqual([0, -1]);
    expect(play("plusMinus", "void")).toEqual([-1]);
    expect(play("plusMinus", run, run, run, run)).toEqual([0, 0, 0, -1]);
  });

  it("ReTool's softens a failure by the turns that were taken", () => {
    expect(play("retool", miss)).toEqual([-1]);
    expect(play("retool", run, miss)).toEqual([0, -0.9]);
    expect(play("retool", run, run, miss)).toEqual([0, 0, -0.8]);
    expect(play("retool", run, solve)).toEqual([0, 1]);
  });

  it("dense ones sum to 1 for a solution by the tool, and pay each step once", () => {
    expect(play("dense", fail, run, show, solve)).toEqual([0, 0.1, 0.1, 0.8]);
    expect(play("dense", show, show, solve)).toEqual([0.2, 0, 0.8]);
    expect(play("dense", solve)).toEqual([0.8]);
    expect(play("dense", block("final_answer(ANSWER)"))).toEqual([1]);
    expect(play("dense", show, miss)).toEqual([0.2, 0]);
  });
});

describe("tasks", () => {
  it("of every template and level have a program that prints the answer, and wrong ones that do not", () => {
    for (const [family, templates] of Object.entries(families)) {
      expect(templates.filter(({ isHeldOut }) => isHeldOut).length, family).toBeGreaterThan(0);
      expect(templates.length, family).toBeGreaterThanOrEqual(4);
      for (const template of templates)
        for (const level of [1, 2, 3, 4, 5] as const)
          for (let i = 0; i < 3; i++) {
            const { text, program, answer } = template.make(level, split(i, family, template.name, level));
            expect(runPython(program.join("\n")), `${text}\n${program.join("\n")}`).toEqual({
              stdout: `${answer}\n`,
              error: "",
              isTimeout: false,
            });
          }
    }
  });

  it("have faulty programs that end in an error", () => {
    for (let seed = 0; seed < 150; seed++) {
      const { faulty, program } = generateTask(hardest, seed);
      expect(runPython(faulty).error, `${program}\n\n${faulty}`).toMatch(/^(?:NameError|ZeroDivisionError): /);
    }
  });

  it("of training never come again in validation, whatever their numbers", () => {
    const texts = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => generateTask(spec, from + i));
    const trained = new Set(texts(taskSeeds.train.from, 4000).map(({ text }) => text));
    for (const { text } of [...texts(taskSeeds.seen.from, 1000), ...texts(taskSeeds.unseen.from, 1000)]) {
      expect(trained).not.toContain(text);
    }
    const templatesOf = (from: number) =>
      new Set(texts(from, 500).map(({ family, template }) => `${family} ${template}`));
    const [train, seen, unseen] = [taskSeeds.train.from, taskSeeds.seen.from, taskSeeds.unseen.from].map(templatesOf);
    expect(seen).toEqual(train);
    expect([...(unseen ?? [])].filter((name) => train?.has(name))).toEqual([]);
  });

  it("follow the knobs: subjects, levels, turns", () => {
    const easy = TirMathSpec.parse({ id: "tirMath", families: ["prealgebra"], maxLevel: 1 });
    const hard = { ...easy, minLevel: 5, maxLevel: 5 };
    const sizeOf = (of: TirMathSpec) =>
      Array.from({ length: 200 }, (_, seed) => generateTask(of, seed).text.replaceAll(/\D/g, "").length).reduce(
        (a, b) => a + b,
      );
    expect(sizeOf(hard)).toBeGreaterThan(sizeOf(easy) * 1.5);
    const seen = new Set(Array.from({ length: 300 }, (_, seed) => generateTask(hardest, seed).family));
    expect(seen).toEqual(new Set(everything));
    expect(make(easy).words.length).toBeLessThan(make(hardest).words.length);
    expect(make(hardest).words.length).toBeLessThan(400);
  });
});

describe("the expert", () => {
  it.each([
    ["default", spec],
    ["all subjects and levels", hardest],
  ])("solves 98 of 100 tasks of every split: %s", (_, of) => {
    const family = toTaskFamily(make(of));
    for (const { from } of Object.values(taskSeeds)) {
      let solved = 0;
      for (let i = 0; i < 250; i++) {
        let episode = family.start(from + i);
        const rng = split(i, "expert");
        while (episode.ending === "ongoing") episode = episode.respond(episode.expertResponse(rng)).episode;
        solved += episode.isSuccess ? 1 : 0;
      }
      expect(solved / 250).toBeGreaterThanOrEqual(0.98);
    }
  });

  it("shows failed programs, second tries and final answers now and then", () => {
    const family = toTaskFamily(tirMath);
    const turns = Array.from({ length: 300 }, (_, i) => {
      let episode = family.start(i);
      while (episode.ending === "ongoing") episode = episode.respond(episode.expertResponse(split(i, "show"))).episode;
      return episode.turn;
    });
    const share = (count: number) => turns.filter((turn) => turn === count).length / turns.length;
    expect(share(1)).toBeGreaterThan(0.05);
    expect(share(2)).toBeGreaterThan(0.6);
    expect(share(3)).toBeGreaterThan(0.08);
  });
});

it(
  "10,000 hostile responses are answered without a throw, and what is said comes back from words",
  { tags: "soak" },
  () => {
    let { state } = tirMath.reset(1);
    let seed = 1;
    for (const response of hostileActions(10_000, () => tirMath.admissibleActions(state))) {
      const { action } = tirMath.project(state, response);
      const turn = tirMath.step(state, action);
      expect(tirMath.fromWords(tirMath.toWords(turn.observation))).toBe(turn.observation);
      expect(tirMath.toWords(turn.observation).split(" ").length).toBeLessThanOrEqual(tirMath.maxWords.observation);
      state = turn.ending === "ongoing" ? turn.state : tirMath.reset(++seed).state;
    }
  },
);

it("a large language model reads the whole transcript", () => {
  const family = toTaskFamily(tirMath);
  const start = family.start(0);
  const next = start.respond(block("print(1)")).episode.respond(block("print(2)")).episode;
  const prompt = next.fullPrompt(2);
  expect(prompt).toContain(`Problem: ${start.task()}`);
  expect(
    prompt.endsWith(
      `${block("print(1)")}\nCode execution result: 1\n\n${block("print(2)")}\nCode execution result: 2\n\n`,
    ),
  ).toBe(true);
});
