import { describe, expect, it } from "vitest";
import { findProblem, parseAddress, writeAddress, type Asked } from "./address.ts";

const asked: Asked = {
  options: {
    metrics: ["evaluation/successRate", "evaluation/score"],
    tasks: true,
    rule: "best",
    interval: "sem",
    baseline: "",
    test: "permutation",
    change: "points",
    collapse: "marks",
    average: true,
    averageOf: "present",
    columns: [{ environment: "ALFWorld & more", metric: "taskSuccess/pick2", header: "Pick2", averaged: true }],
    group: "update.epochs",
    without: ["GRPO · a=1&b", "SAPO"],
    withoutEnvironments: ["Sokoban size 8"],
  },
  wording: {
    caption: "50% & more?",
    label: "main",
    decimals: 2,
    marks: false,
    counts: false,
    ours: "SAMPO",
    width: "page",
    changeIn: "cell",
    references: [{ method: "GPT-4o", source: "A paper, Table 1", values: [61.11] }],
  },
};

describe("a table's address", () => {
  it("says every option, and is read back as it was", () => {
    const written = writeAddress(new URLSearchParams("sweep=a&sweep=b"), asked);
    expect(written.getAll("sweep")).toEqual(["a", "b"]);
    expect(parseAddress(new URLSearchParams(String(written)))).toEqual(asked);
  });

  it("leaves out what is so anyway", () => {
    const plain: Asked = { options: { rule: "final", tasks: false }, wording: { marks: true } };
    expect(String(writeAddress(new URLSearchParams("sweep=a&rule=best&no=X"), plain))).toBe("sweep=a");
    expect(parseAddress(new URLSearchParams("sweep=a"))).toEqual({ options: {}, wording: {} });
  });

  it("keeps the metrics that were asked for: which are shown unless told depends on what was logged", () => {
    const given = parseAddress(new URLSearchParams("metric=evaluation/successRate"));
    expect(given.options).toEqual({ metrics: ["evaluation/successRate"] });
    expect(writeAddress(new URLSearchParams(), given).getAll("metric")).toEqual(["evaluation/successRate"]);
  });

  it("counts nonsense as not given", () => {
    expect(parseAddress(new URLSearchParams("rule=worst&decimals=many&width=page"))).toEqual({
      options: {},
      wording: { width: "page" },
    });
  });

  it("compares nothing with a row that is left out, and sets none such off, whoever wrote it", () => {
    const hidden: Asked = {
      options: { baseline: "GSPO", without: ["GSPO", "SAPO"] },
      wording: { ours: "SAPO", caption: "Kept" },
    };
    const written = writeAddress(new URLSearchParams("sweep=a"), hidden);
    expect([...written]).toEqual([
      ["sweep", "a"],
      ["without", "GSPO"],
      ["without", "SAPO"],
      ["caption", "Kept"],
    ]);
    expect(parseAddress(new URLSearchParams("without=GSPO&baseline=GSPO&ours=GSPO"))).toEqual({
      options: { without: ["GSPO"] },
      wording: {},
    });
    const shown: Asked = { options: { baseline: "GRPO", without: ["GSPO"] }, wording: { ours: "SAMPO" } };
    expect(parseAddress(writeAddress(new URLSearchParams(), shown))).toEqual(shown);
  });
});

describe("what cannot be asked for", () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => `row ${i}`);
  it.each<[Asked, string | undefined]>([
    [asked, undefined],
    [{ options: {}, wording: { caption: "x".repeat(2000) } }, undefined],
    [
      { options: {}, wording: { caption: "x".repeat(2001) } },
      `Caption: 2,001 characters (“${"x".repeat(20)}…”), limit is 2,000`,
    ],
    [
      { options: {}, wording: { label: "y".repeat(101) } },
      `Label: 101 characters (“${"y".repeat(20)}…”), limit is 100`,
    ],
    [{ options: { without: many(201) }, wording: {} }, "Rows left out: 201 entries, limit is 200"],
    [{ options: { metrics: many(9) }, wording: {} }, "Metrics: 9 entries, limit is 8"],
  ])("is told by field, value and limit: case %#", (given, problem) => {
    expect(findProblem(given)).toBe(problem);
  });
});
