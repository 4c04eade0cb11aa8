import { describe, expect, it } from "vitest";
import { parseReport } from "./parseReport.ts";

const problems = (body: string) =>
  parseReport(body).flatMap((part) => (part.kind === "problem" ? [`${part.line}: ${part.message}`] : []));

describe("a report's text", () => {
  it("is Markdown with blocks between, each with its line", () => {
    const body = "# A\n\n```chart\nsweep: a, b\nmetric: x/y\nto: 20\n```\nafter\n```python\nprint(1)\n```\n";
    expect(parseReport(body)).toEqual([
      { kind: "text", text: "# A\n", line: 1 },
      {
        kind: "block",
        line: 3,
        source: "chart\nsweep: a, b\nmetric: x/y\nto: 20",
        block: {
          kind: "chart",
          fields: { sweep: ["a", "b"], metric: "x/y", aggregate: "interval", x: "iteration", to: 20 },
        },
      },
      { kind: "text", text: "after\n```python\nprint(1)\n```\n", line: 8 },
    ]);
  });

  it("reads a block of an older kind as its present kind, under the source it was frozen with", () => {
    const old = "```findings\nsweep: a\nmetric: x/y\n```";
    const [part] = parseReport(old);
    expect(part).toEqual({
      kind: "block",
      line: 1,
      source: "findings\nsweep: a\nmetric: x/y",
      block: { kind: "analysis", fields: { sweep: ["a"], metric: "x/y", question: "claims" } },
    });
    expect(problems("```findings\nsweeps: a\n```")[0]).toMatch(/^1: analysis: sweep is missing/);
  });

  it("names field, value and limit at their line", () => {
    expect(problems("```runs\nfilter: a\nlimit: 500\n```")).toEqual([
      '3: runs: limit is "500": Too big: expected number to be <=200',
    ]);
    expect(problems("\n```table\nsweep: a\nkind: last\n```")).toEqual([
      '4: table: kind is "last": Invalid option: expected one of "final"|"stability"|"beforeAfter"|"tasks"',
    ]);
    expect(problems("```chart\nsweep: a\nmetrics: b\n```")).toEqual([
      "1: chart: metric is missing; the fields are sweep, metric, aggregate, x, from, to",
      "1: chart: there is no field metrics; the fields are sweep, metric, aggregate, x, from, to",
    ]);
    expect(problems("```headline\nsweep a\n```\n```headline\nsweep: a\nsweep: b\n```")).toEqual([
      '2: headline: "sweep a" is not a field of the form name: value',
      "6: headline: sweep is written twice",
    ]);
    expect(problems("text\n```headline\nsweep: a")).toEqual([
      "2: headline: the block is not closed: add a line with ```",
    ]);
    expect(problems("```episode\nrun: a\niteration: x\n```")).toHaveLength(1);
  });

  it("leaves blocks inside of other code alone", () => {
    expect(parseReport("~~~text\n```chart\nx\n```\n~~~")).toMatchObject([{ kind: "text" }]);
  });
});
