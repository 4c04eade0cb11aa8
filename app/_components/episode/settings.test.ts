import { describe, expect, it, test } from "vitest";
import { EnvironmentSpec } from "#trainer/spec/environment.ts";
import {
  checkSettings,
  defaultSettings,
  environmentIds,
  fromTask,
  parseSettings,
  formatProblems,
  toQuery,
} from "./settings.ts";

const sokoban = defaultSettings("sokoban");

describe("settings of an episode", () => {
  test.each(environmentIds)("begin with the defaults of %s", (id) => {
    expect(checkSettings(defaultSettings(id)).start).toEqual({
      environment: EnvironmentSpec.parse({ id }),
      seed: 0,
      shape: null,
      historyLength: 2,
    });
  });

  it("survive the address, which says only what is not as usual", () => {
    const changed = { ...sokoban, values: { ...sokoban.values, size: "8" }, split: "unseen", task: "17" } as const;
    expect(toQuery(changed)).toBe("environment=sokoban&size=8&split=unseen&task=17");
    expect(parseSettings(Object.fromEntries(new URLSearchParams(toQuery(changed))))).toEqual(changed);
    expect(toQuery(sokoban)).toBe("environment=sokoban");
  });

  it("are as usual where an address says nothing, or nothing that exists", () => {
    expect(parseSettings({ environment: "chess", split: "secret" })).toEqual(
      defaultSettings(environmentIds[0] ?? "sokoban"),
    );
  });

  it("count tasks within their split", () => {
    expect(checkSettings({ ...sokoban, split: "unseen", task: "3" }).start?.seed).toBe(2 ** 17 + 3);
  });

  it("come from the sweep builder, with the first of several values", () => {
    const task = { id: "sokoban", size: [7, 8], reward: "sparse" };
    const { environment } = checkSettings(fromTask("sokoban", task)).start ?? {};
    expect(environment).toEqual(EnvironmentSpec.parse({ id: "sokoban", size: 7, reward: "sparse" }));
  });

  it("are named where they are wrong", () => {
    const { problems } = checkSettings({ ...sokoban, values: { ...sokoban.values, size: "99" }, task: "-1" });
    expect(formatProblems("sokoban", problems)).toBe(
      "Room size: is 99, must be at most 10; Task number: a whole number from 0 to 65,534",
    );
  });

  it.each([
    [{ values: { ...sokoban.values, size: "99" } }, { size: "is 99, must be at most 10" }],
    [{ values: { ...sokoban.values, size: "six" } }, { size: 'is "six", must be a number' }],
    [{ values: { ...sokoban.values, reward: "huge" } }, { reward: /"huge" is not one of native, sparse/ }],
    [{ task: "-1" }, { task: /from 0 to 65,534/ }],
    [{ task: "" }, { task: /whole number/ }],
    [{ historyLength: "1.5" }, { historyLength: /from 0 to 16/ }],
  ])("%j are refused at their field", (changes, problems) => {
    const checked = checkSettings({ ...sokoban, ...changes });
    expect(checked.start).toBeUndefined();
    expect(Object.keys(checked.problems)).toEqual(Object.keys(problems));
    for (const [field, message] of Object.entries(problems)) expect(checked.problems[field]).toMatch(message);
  });
});
