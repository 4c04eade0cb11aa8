import { describe, expect, it } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import { findViolations } from "../testing/conformance.ts";
import { toTaskFamily } from "../episode.ts";
import { hostileActions } from "../testing/hostile.ts";
import { makeSweGym, type SweGymState } from "./sweGym.ts";

const python = await loadPython();
const make = (knobs: object = {}) => makeSweGym(SweGymSpec.parse({ id: "sweGym", ...knobs }), python);
const sweGym = make();
const harder = {
  files: 3,
  functionsPerFile: 4,
  hops: 2,
  issueStyle: "traceback",
  maxTurns: 15,
  renamedPercent: 50,
  bugFamilies: ["off_by_one", "swapped_arguments", "missing_guard", "wrong_default", "missing_return"],
};
const { seen, unseen } = taskSeeds;
const times = (few: number, many: number) => (isSoak ? many : few);
const respond = (action: string) => `<think> </think> <action> ${action} </action>`;
const seeds = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
type Turn = ReturnType<typeof sweGym.step>;
const act = (state: SweGymState, ...actions: readonly string[]): Turn => {
  const start: Turn = { state, observation: "", reward: 0, ending: "ongoing" };
  return actions.reduce((turn, action) => sweGym.step(turn.state, action), start);
};

describe("the promises", () => {
  it("hold on unseen and seen tasks", { tags: inBoth }, () => {
    expect(findViolations(sweGym, [...seeds(unseen.from, times(1, 10)), ...seeds(seen.from, times(1, 5))])).toEqual([]);
  });

  it("hold for large repositories, every issue style and every reward", { tags: "soak" }, () => {
    for (const [i, issueStyle] of ["symptom", "traceback", "vague"].entries()) {
      const knobs = {
        files: 6,
        functionsPerFile: 6 - i,
        hops: i,
        issueStyle,
        reward: ["resolved", "passRatio", "dense"][i],
      };
      expect(findViolations(make({ ...knobs, maxTurns: 15 }), [i, unseen.from + i])).toEqual([]);
    }
  });

  it("no action makes it throw or changes what came before", { tags: inBoth }, () => {
    let { state } = sweGym.reset(3);
    const actions = hostileActions(times(500, 10_000), () => [
      ...sweGym.admissibleActions(state),
      `edit src/x.py 3 : return 1`,
      `edit ${Object.keys(state.workspace.files)[0]} 2 : }{`,
      "str_replace_editor str_replace /testbed/src/track.py --old_str return --new_str while True: pass",
      "str_replace_editor create /testbed/src/new.py --file_text a",
      "str_replace_editor insert /testbed/tests/test_track.py --insert_line 1 --new_str b",
    ]);
    let turns = 0;
    for (const action of actions) {
      const turn = sweGym.step(state, action);
      expect(sweGym.fromWords(sweGym.toWords(turn.observation))).toBe(turn.observation);
      sweGym.project(state, action);
      state = turn.ending === "ongoing" ? turn.state : sweGym.reset(++turns % 50).state;
    }
  });
});

describe("the expert", () => {
  it.each([
    ["at the defaults", {}, times(20, 300)],
    ["with three files and a symptom two calls away", harder, times(10, 200)],
  ])("resolves 98 of 100 %s", { tags: inBoth }, (_, knobs, count) => {
    const family = toTaskFamily(make(knobs));
    let solved = 0;
    for (const seed of [...seeds(0, count / 2), ...seeds(unseen.from, count / 2)]) {
      const rng = split(seed, "expert");
      let episode = family.start(seed);
      while (episode.ending === "ongoing") episode = episode.respond(episode.expertResponse(rng)).episode;
      solved += episode.isSuccess ? 1 : 0;
    }
    expect(solved / count).toBeGreaterThanOrEqual(0.98);
  });

  it("needs as many turns as it says, more where the symptom is further away", { tags: "soak" }, () => {
    const lengths = [{}, { files: 3, hops: 1 }, { files: 3, hops: 2, issueStyle: "vague" }].map((knobs) => {
      const family = toTaskFamily(make(knobs));
      const turns = seeds(0, 20).map((seed) => {
        let episode = family.start(seed);
        const optimal = episode.optimalLength();
        while (episode.ending === "ongoing") episode = episode.respond(episode.expertResponse()).episode;
        expect([episode.isSuccess, episode.turn]).toEqual([true, optimal]);
        return episode.turn;
      });
      return turns.reduce((sum, n) => sum + n, 0) / turns.length;
    });
    expect(lengths[0]).toBe(3);
    expect(lengths.toSorted((a, b) => a - b)).toEqual(lengths);
  });

  it("recovers from a wrong repair, and from a line inserted", () => {
    const { state } = sweGym.reset(0);
    const path = state.task.fix.path;
    let turn = act(
      state,
      `view ${path}`,
      `edit ${path} ${state.task.fix.lineIndex + 1} : return`,
      `str_replace_editor insert ${path} --insert_line 0 --new_str # x`,
    );
    while (turn.ending === "ongoing") turn = sweGym.step(turn.state, sweGym.expert(turn.state).action);
    expect(sweGym.isSuccess(turn.state)).toBe(true);
  });
});

describe("tasks", () => {
  const contentOf = (seed: number) => {
    const { task } = sweGym.reset(seed).state;
    return Object.entries(task.files)
      .filter(([path]) => path.startsWith("/testbed/src"))
      .join();
  };

  it(
    "of validation are none of training, and unseen ones are of repositories that training never has",
    { tags: "soak" },
    () => {
      const train = seeds(0, 300).map(contentOf);
      expect(new Set(train).size).toBeGreaterThanOrEqual(260);
      const held = [...seeds(seen.from, 150), ...seeds(unseen.from, 100)].map(contentOf);
      expect(held.filter((content) => train.includes(content))).toEqual([]);
      const repos = (from: number) => new Set(seeds(from, 60).map((seed) => sweGym.reset(seed).state.task.repo));
      expect([...repos(unseen.from)].toSorted()).toEqual(["dask", "hydra"]);
      expect(repos(0).size).toBe(9);
      expect([...repos(0)].filter((repo) => repos(unseen.from).has(repo))).toEqual([]);
    },
  );

  it("are kept for validation even where one family has few, and none of those is trained on", () => {
    const few = make({ hops: 1, bugFamilies: ["missing_guard"] });
    const codeOf = (seed: number) => {
      const { task } = few.reset(seed).state;
      return task.files[task.fix.path];
    };
    const train = new Set(seeds(0, 40).map(codeOf));
    const held = new Set(seeds(seen.from, 12).map(codeOf));
    expect([train.size, held.size].every((size) => size > 0)).toBe(true);
    expect([...held].filter((code) => train.has(code))).toEqual([]);
  });

  it("have every family about as often, the held-out one in unseen tasks only", { tags: "soak" }, () => {
    for (const [from, families] of [
      [0, sweGym.taskTypes.slice(0, -1)],
      [seen.from, sweGym.taskTypes.slice(0, -1)],
      [unseen.from, sweGym.taskTypes],
    ] as const) {
      const types = seeds(from, 120).map((seed) => sweGym.taskType?.(sweGym.reset(seed).state));
      expect(new Set(types)).toEqual(new Set(families));
      for (const family of families) expect(types.filter((type) => type === family).length).toBeGreaterThan(3);
    }
  });

  it(
    "fail and pass the tests that they say, and all of them once repaired; their code is shown whole",
    { tags: "soak" },
    () => {
      for (const seed of [...seeds(0, 120), ...seeds(seen.from, 30), ...seeds(unseen.from, 50)]) {
        const { state } = sweGym.reset(seed);
        const { fix, failToPass, passToPass } = state.task;
        const report = act(state, "test").observation;
        for (const { file, name } of failToPass) expect(report).toContain(`FAILED ${file}::${name} - `);
        for (const { file, name } of passToPass) expect(report).toContain(`PASSED ${file}::${name}`);
        expect([failToPass.length > 0, failToPass.length <= 3, passToPass.length <= 8]).toEqual([true, true, true]);
        expect(act(state, `view ${fix.path}`).observation).not.toContain("clipped");
        const edited = act(state, `edit ${fix.path} ${fix.lineIndex + 1} : ${fix.line.trim()}`);
        expect(edited.observation).toContain("has been edited.");
        expect(act(edited.state, "test").observation).toMatch(/^(PASSED .*\n)+\d+ passed$/);
      }
    },
  );

  it("are as large as asked for", () => {
    const { task } = make({ files: 6, functionsPerFile: 6 }).reset(1).state;
    const code = Object.entries(task.files).filter(([path]) => path.startsWith("/testbed/src/"));
    expect(code).toHaveLength(6);
    for (const [, text] of code) expect(text.match(/^def /gm)).toHaveLength(6);
    expect(make({ issueStyle: "vague" }).reset(1).state.task.issue).toMatch(/^\w+ gives wrong results/);
    expect(make({ issueStyle: "traceback" }).reset(1).state.task.issue).toMatch(
      /^FAILED tests\/test_\w+\.py::Test\w+::test_\w+_1 - \w+Error: /,
    );
    expect(make({ repos: ["conan"], bugFamilies: ["off_by_one"] }).reset(1).state.task).toMatchObject({
      repo: "conan",
      family: "off_by_one",
    });
    const namesAt = (renamedPercent: number) => {
      const text = Object.values(make({ repos: ["monai"], renamedPercent }).reset(0).state.task.files).join();
      return [/\bvalues\b/.test(text), /\bnumbers\b/.test(text)];
    };
    expect([namesAt(0), namesAt(100)]).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(make({ repos: ["bokeh"] }).words.length).toBeLessThan(make({ files: 3 }).words.length);
  });
});

describe("an episode", () => {
  const { state } = sweGym.reset(1);
  const { fix, failToPass } = state.task;
  const file = fix.path.slice("/testbed/".length);
  const testFile = file.replace("src/", "tests/test_");
  const lines = state.task.files[fix.path]?.split("\n") ?? [];
  const repair = `edit ${fix.path} ${fix.lineIndex + 1} : ${fix.line.trim()}`;

  it("answers commands", () => {
    expect(act(state, "ls").observation).toBe(`${file}\n${testFile}`);
    expect(act(state, "search zebra").observation).toBe("No matches found.");
    expect(act(state, `search ${state.task.keyword}`).observation).toContain(`${file}:`);
    expect(act(state, "fly").observation).toBe("Invalid command.");
    expect(act(state, "edit src/none.js 1 : x").observation).toContain("/testbed/src/none.js does not exist.");
    expect(act(state, `edit ${file} 99 : x`).observation).toMatch(/^Invalid line: 99\. .*\[1, \d+\]$/);
    expect(act(state, `edit ${file} 1 : ${lines[0]}`).observation).toContain("is the same as");
    expect(act(state, `view ${file} 1 2`).observation.split("\n")).toHaveLength(3);
    expect(act(state, repair, `str_replace_editor undo_edit ${fix.path}`).state.workspace.files).toEqual(
      state.workspace.files,
    );
    expect(act(state, `test ${testFile}`).observation).toBe(act(state, "test").observation);
    expect(act(state, `edit ${file} 1 : }{`, "test").observation).toBe(
      `ERROR ${testFile} - SyntaxError: unmatched '}'\n1 error`,
    );
    expect(act(state, `edit ${file} 1 : total += 1`, "test").observation).toMatch(/^ERROR .* - IndentationError: /);
    expect(act(state, `edit ${file} ${fix.lineIndex + 1} : while True: pass`, "test").observation).toContain(
      " - Timeout",
    );
  });

  it.each(["ls\nsrc", "test\nsubmit", "search\nzebra", "view src\n1 2", "submit\nsubmit"])(
    "refuses a second line of a command without code: %j",
    (action) => expect(act(state, action).observation).toBe("Invalid command."),
  );

  it("replaces what a value of str_replace_editor names, quoted or not", () => {
    const line = state.task.files[fix.path]?.split("\n")[fix.lineIndex]?.trim() ?? "";
    for (const quote of ["", "'"]) {
      const strings = `--old_str ${quote}${line}${quote} --new_str ${quote}${fix.line.trim()}${quote}`;
      expect(act(state, `str_replace_editor str_replace ${fix.path} ${strings}`).state.passRatio).toBe(1);
    }
  });

  it("ends with the submission, or is submitted at the last turn", () => {
    const submitted = act(state, repair, "submit");
    expect([submitted.ending, submitted.reward, sweGym.isSuccess(submitted.state)]).toEqual(["terminated", 1, true]);
    const unrepaired = act(state, "submit");
    expect([unrepaired.ending, unrepaired.reward, sweGym.isSuccess(unrepaired.state)]).toEqual([
      "terminated",
      0,
      false,
    ]);
    const idle = ["ls", "ls", "ls", "ls", "ls", "ls"];
    const late = act(state, ...idle, repair, "ls");
    expect([late.ending, late.reward, sweGym.isSuccess(late.state)]).toEqual(["terminated", 1, true]);
    expect(act(state, ...idle, "ls", "ls")).toMatchObject({ ending: "truncated", reward: 0 });
    expect(sweGym.isSuccess(act(state, repair).state)).toBe(false);
  });

  it("is paid by what its reward says", () => {
    const ratio = state.passRatio;
    for (const [reward, expected] of [
      ["resolved", [0, 1]],
      ["passRatio", [0, 1]],
      ["dense", [1 - ratio, 0]],
    ] as const) {
      const paid = make({ reward });
      const edited = paid.step(paid.reset(1).state, repair);
      expect([edited.reward, paid.step(edited.state, "submit").reward]).toEqual(expected);
    }
    const partly = make({ reward: "passRatio" });
    const start = partly.reset(1).state;
    expect(partly.step(start, "submit").reward).toBe(0);
    expect(partly.score?.(start)).toBe(0);
    const commented = partly.step(start, `str_replace_editor insert ${fix.path} --insert_line 0 --new_str #`);
    expect(partly.step(commented.state, "submit").reward).toBe(ratio);
  });

  it("is graded by its own tests, whatever becomes of the copies or of the tools that test", () => {
    const emptied = Array.from({ length: 7 }, (_, i) => `edit ${testFile} ${i + 1} :`);
    expect(act(state, ...emptied).state.passRatio).toBeLessThan(1);
    const test = failToPass[0]?.name ?? "";
    const tricks = [
      "import unittest; unittest.TestCase.assertEqual = lambda *values: None",
      "import unittest; unittest.TestCase.run = lambda test, result: result.addSuccess(test)",
      "import sys; sys.modules['unittest'] = None",
      "import builtins; builtins.isinstance = lambda *values: True",
      `import sys; sys.__stdout__.write("passed\t${testFile}\t${test}\t\n")`,
      "raise SystemExit(0)",
      "import sys; sys.exit()",
      "import os; os._exit(0)",
    ];
    for (const trick of tricks) {
      expect(
        act(state, `str_replace_editor insert ${fix.path} --insert_line 0 --new_str ${trick}`).state.passRatio,
      ).toBeLessThan(1);
    }
  });

  it("reads responses with the letters' case kept", () => {
    expect(sweGym.project(state, respond("edit src/track.py 2 : return None"))).toEqual({
      isFormatValid: true,
      isActionValid: true,
      action: "edit src/track.py 2 : return None",
    });
    expect(sweGym.project(state, respond("fly"))).toMatchObject({ isFormatValid: true, isActionValid: false });
    expect(sweGym.project(state, "<action>submit</action>")).toMatchObject({
      isFormatValid: false,
      action: "submit",
    });
    const text = sweGym.renderFull?.(
      {
        task: state.task.issue,
        observation: "o",
        past: [{ observation: "x", action: "ls" }],
        admissibleActions: () => [],
        notes: () => undefined,
      },
      2,
    );
    expect(text).toContain(`<pr_description>\n${state.task.issue}\n</pr_description>`);
    expect(text).toContain("OBSERVATION:\nx\nACTION:\nls\nOBSERVATION:\no");
  });
});
