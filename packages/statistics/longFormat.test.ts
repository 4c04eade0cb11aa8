import { describe, expect, it } from "vitest";
import { parseLongFormat } from "./longFormat.ts";
import { parseCsv } from "./parseCsv.ts";

const fieldsOf = (text: string) => parseCsv(text).map(({ fields }) => fields);

describe("CSV", () => {
  it.each([
    [
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["\uFEFFa,b\r\n", [["a", "b"]]],
    ['"x, ""y""\r\nz",2\r\n', [['x, "y"\r\nz', "2"]]],
    [
      "a,\n,b\n",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["a\n\n\nb\n", [["a"], ["b"]]],
    ["'=1+1,'-x,'x,-3\n", [["=1+1", "-x", "'x", "-3"]]],
    ["", []],
  ])("reads %j", (text, expected) => expect(fieldsOf(text)).toEqual(expected));

  it("counts lines by where a record begins", () => {
    expect(parseCsv('"a\nb",1\n\nc,2').map(({ line }) => line)).toEqual([1, 4]);
  });

  it.each(["\n", "\r\n", "\r"])("skips one torn line that ends with %j, and counts on", (end) => {
    const torn: [string, number][] = [];
    const text = ['"a', 'b",c', 'd,"e', "f,g", ""].join(end);
    const records = parseCsv(text, { onTorn: (row, line) => torn.push([row, line]) });
    expect(torn).toEqual([['d,"e', 3]]);
    expect(records).toEqual([
      { line: 1, fields: [`a${end}b`, "c"] },
      { line: 4, fields: ["f", "g"] },
    ]);
  });

  it.each(['a,"b', 'a"b,c', '"a"b,c'])("refuses %j", (text) => expect(() => parseCsv(text)).toThrow("line 1: a quote"));
});

describe("long format", () => {
  const header = "env,subtask,method,agg,clip,adv,filter,seed,n_eval,checkpoint_rule,value";

  it("reads rows, with what is not there told from zero", () => {
    const { rows, ignoredColumns } = parseLongFormat(
      `${header},collapsed,colour\nsokoban,,GRPO,a,b,c,d,0,128,final-window,0.5,0,red\nsokoban,pull,GRPO,a,b,c,d,1,,final-window,nan,yes,red\n`,
    );
    expect(rows).toEqual([
      {
        line: 2,
        env: "sokoban",
        subtask: "all",
        method: "GRPO",
        seed: "0",
        metric: "",
        checkpointRule: "final-window",
        value: 0.5,
        numEvaluations: 128,
        isCollapsed: false,
      },
      expect.objectContaining({ subtask: "pull", value: NaN, numEvaluations: undefined, isCollapsed: true }),
    ]);
    expect(ignoredColumns).toEqual(["colour"]);
  });

  it("takes two settings of a method for two methods", () => {
    const { rows } = parseLongFormat("env,method,setting,seed,value\ne,m,lr 1,0,1\ne,m,lr 2,0,2\n");
    expect(rows.map(({ method }) => method)).toEqual(["m (lr 1)", "m (lr 2)"]);
  });

  it.each([
    ["", "the file is empty"],
    ["env,seed,value\n", "line 1: no column method; the columns are env, seed, value"],
    ["env,method,seed,value\n", "a header and no rows"],
    ["env,method,seed,value\ne,m,0,high\n", 'line 2, value: "high" is not a number'],
    ["env,method,seed,value\ne,m,0\n", "line 2: 3 fields, the header has 4"],
    ["env,method,seed,value\ne,,0,1\n", "line 2, method: is empty"],
    [
      "env,method,seed,value\ne,m,0,1\ne,m,0,2\n",
      "line 3: m, e (all), seed 0: line 2 already has a value for this run",
    ],
    ["env,method,seed,value,collapsed\ne,m,0,1,perhaps\n", 'line 2, collapsed: "perhaps" is neither true nor false'],
    ["env,method,seed,value,n_eval\ne,m,0,1,many\n", 'line 2, n_eval: "many" is not a count'],
  ])("says what is wrong with %j", (text, message) => expect(() => parseLongFormat(text)).toThrow(message));
});
