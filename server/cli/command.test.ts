import { describe, expect, test } from "vitest";
import { parseCommand } from "./command.ts";

const parse = (line: string) => parseCommand(line === "" ? [] : line.split(" "));
const problem = (line: string) => {
  const parsed = parse(line);
  return parsed.kind === "wrong" ? parsed.problem.message : undefined;
};

describe("parseCommand", () => {
  test.each([
    ["sweep run a.yaml", { kind: "sweepRun", file: "a.yaml", isWatched: false, name: undefined }],
    ["sweep run - --watch --name N", { kind: "sweepRun", file: "-", isWatched: true, name: "N" }],
    ["--json sweeps", { kind: "sweeps" }],
    ["runs", { kind: "runs", sweep: undefined }],
    ["runs s", { kind: "runs", sweep: "s" }],
    ["cancel s-c0-s1", { kind: "cancel", target: "s-c0-s1" }],
    ["delete s --yes", { kind: "delete", sweep: "s" }],
    ["table s", { kind: "table", sweep: "s", table: "final", format: "markdown", metric: undefined }],
    ["table s --kind stability --format json", { kind: "table", table: "stability", format: "json" }],
    ["table s --format=latex --metric policy/kl", { kind: "table", sweep: "s", format: "latex", metric: "policy/kl" }],
    ["table verify 0123abcd", { kind: "tableVerify", hash: "0123abcd" }],
    ["objective batch.json", { kind: "objective", file: "batch.json" }],
    ["env", { kind: "environments" }],
    ["env sokoban", { kind: "environmentPlay", name: "sokoban", seed: 0, split: undefined, knobs: [] }],
    [
      "env sokoban --seed 3 --split unseen --set size=8 --set numBoxes=2 --expert",
      { seed: 3, split: "unseen", knobs: ["size=8", "numBoxes=2"], from: { kind: "expert" } },
    ],
    ["env sokoban --actions a.txt", { from: { kind: "file", file: "a.txt" } }],
    ["env sokoban --replay a b --replay c", { kind: "environmentReplay", name: "sokoban", files: ["a", "c", "b"] }],
    ["predictor train p", { kind: "predictorTrain", folder: "p", numRuns: 40, logs: [] }],
    [
      "predictor train p --runs 5 --logs a --logs b --group-size 4",
      { numRuns: 5, logs: ["a", "b"], size: { numEpisodes: 128, groupSize: 4, numHeldOut: 128 } },
    ],
    ["predictor apply log --model p", { kind: "predictorApply", file: "log", model: "p" }],
    ["pause s", { kind: "pause", sweep: "s", intent: "pause" }],
    ["resume s", { kind: "pause", sweep: "s", intent: "run" }],
    ["seeds s", { kind: "seeds", sweep: "s", numNew: 0 }],
    ["seeds s --add 2", { kind: "seeds", sweep: "s", numNew: 2 }],
    ["seeds s --undo", { kind: "seedsUndo", sweep: "s" }],
    ["check s-c0-s1", { kind: "check", runId: "s-c0-s1" }],
    ["nodes", { kind: "nodes" }],
    ["priority s", { kind: "priority", sweep: "s", priority: "front" }],
    ["priority s --sooner 2h", { kind: "priority", sweep: "s", priority: 120 }],
    ["priority s --later 1d", { kind: "priority", sweep: "s", priority: -1440 }],
    ["sign-in", { kind: "signIn" }],
    ["", { kind: "help" }],
    ["sweeps --help", { kind: "help" }],
    ["--version", { kind: "version" }],
  ])("reads %s", (line, command) => expect(parse(line)).toMatchObject({ kind: "command", command }));

  test.each([
    ["swep run a.yaml", 'there is no command "swep"; did you mean sweep run'],
    ["sweep rnu a.yaml", 'there is no command "sweep rnu"; did you mean sweep run'],
    ["signin", "did you mean sign-in?"],
    ["launch", "there are sweep run, import, sweeps, runs"],
    ["sweeps --jsn", "there is no option --jsn; did you mean --json?"],
    ["priority s --sooner soon", "--sooner soon: a time such as 30m, 2h or 1d"],
    ["priority s --sooner 1h --later 1h", "only one of them goes"],
    ["sweep run", "sweep run needs FILE.yaml: npx arlarena sweep run FILE.yaml"],
    ["sweeps now", '"now" is one word too many'],
    ["sweeps --watch", "sweeps has no option --watch (it has none of its own)"],
    ["table s --format html", "--format html: the formats are latex, markdown, csv, json"],
    ["predictor apply log", "--model FOLDER is missing"],
    ["predictor train p --runs none", "--runs none: a number from 1"],
    ["env --seed 3", "env needs a NAME"],
    ["env sokoban up", '"up" is one word too many'],
    ["env sokoban --seed one", "--seed one: a seed is a whole number"],
    ["env sokoban --split test", "--split test: the splits are train, seen, unseen"],
    ["env sokoban --expert --actions a", "only one of them can act"],
    ["env sokoban --replay a --seed 1", "--seed does not go with it"],
    ["table s --kind collapse", "--kind collapse: the kinds are final, stability, tasks"],
    ["delete s", "for good: add --yes"],
  ])("says what exists instead of %s", (line, message) => expect(problem(line)).toContain(message));

  test("knows that JSON was asked for even where the rest is wrong", () => {
    expect(parse("nothing --json").isJson).toBe(true);
  });
});
