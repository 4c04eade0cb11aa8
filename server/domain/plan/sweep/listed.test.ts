import { expect, test } from "vitest";
import { expandItem, expandListed } from "./listed.ts";
import { parsePlan } from "./plan.ts";

const plan = (rest: string) => `name: Lists\nmethods: [grpo]\nseeds: [0]\n${rest}`;

test("an environment or a level that lists values stands for one per combination", () => {
  const { environments, grid } = parsePlan(
    plan(`environments: [{ id: sokoban, size: [6, 7] }, { id: alfworld, taskTypes: [pick, look] }]
grid:
  clipping: [{ kind: token, low: [0.1, 0.2], high: [0.2, 0.28], sequenceMask: { delta: 0.01 } }]
`),
  );
  expect(environments).toMatchObject([{ size: 6 }, { size: 7 }, { taskTypes: ["pick", "look"] }]);
  expect(grid?.clipping?.map((level) => ("low" in level ? [level.low, level.high] : []))).toEqual([
    [0.1, 0.2],
    [0.1, 0.28],
    [0.2, 0.2],
    [0.2, 0.28],
  ]);
});

test("environments of evaluations elsewhere may list values, parts of a mixture may not", () => {
  const elsewhere = { environment: { id: "webshop", catalogueSize: [50, 100] }, every: 5 };
  const { plan } = expandListed({ base: { evaluation: { elsewhere: [elsewhere] } } });
  expect(plan).toMatchObject({
    base: {
      evaluation: { elsewhere: [{ environment: { catalogueSize: 50 } }, { environment: { catalogueSize: 100 } }] },
    },
  });
  const mixture = { environments: [{ id: "mixture", parts: [{ environment: { id: "sokoban", size: [6, 7] } }] }] };
  expect(expandListed(mixture).plan).toEqual(mixture);
});

test("lists within a correction and its rejections multiply it", () => {
  const correction = {
    weight: { kind: "clip", high: [2, 5] },
    reject: [
      { kind: "row", high: [2, 3] },
      { kind: "row", low: 0.1 },
    ],
  };
  expect(expandItem("correction", correction)).toHaveLength(4);
  expect(expandItem("correction", correction)[1]).toMatchObject({
    weight: { high: 2 },
    reject: [{ high: 3 }, { low: 0.1 }],
  });
});

test("a problem has the path of the file, once, and too many combinations are refused before they are made", () => {
  expect(() => parsePlan(plan("environments: [{ id: sokoban, size: [6, 7] }, { id: sokoban, size: 2 }]"))).toThrow(
    /environments\[1\]\.size.*is 2, must be at least 5/,
  );
  const many = `[${Array.from({ length: 11 }, (_, i) => i / 100).join(", ")}]`;
  const clipping = `{ kind: token, low: ${many}, high: ${many}, dual: ${many} }`;
  expect(() => parsePlan(plan(`environments: [{ id: sokoban }]\ngrid: { clipping: [${clipping}] }`))).toThrow(
    /grid\.clipping\[0\].*lists 1,331 combinations of values, limit is 100/,
  );
});

test("an alias without an anchor is refused in words", () => {
  expect(() => parsePlan("name: *nowhere\n")).toThrow(/alias/);
});
