import { expect, it } from "vitest";
import { baselineDash, lineDashes } from "./names.ts";
import { contrastOf } from "#server/domain/plan/sweep/methods/shades.ts";
import { families } from "./families.ts";
import { prepareLegend } from "./prepareLegend.ts";
import {
  type ChartSettings,
  chooseLooks,
  defaultSettings,
  parseSettings,
  soloed,
  toggled,
  writeSettings,
} from "./settings.ts";

const chosen: ChartSettings = {
  log: new Set(["policy/klReference", "update/gradientNorm"]),
  smoothing: 0.6,
  seeds: true,
  over: "iqm",
  ghosts: true,
  baseline: false,
  hidden: new Set(["3"]),
  x: "time",
  shade: "optimizer.learningRate",
  dash: "none",
  facet: "sweep",
  size: "large",
  limits: new Map([["loss/policy", { low: -1, high: null }]]),
  range: [10, 50.5],
};

it("survives the way through an address", () => {
  expect(parseSettings(new URLSearchParams(writeSettings(new URLSearchParams(), chosen).toString()))).toEqual(chosen);
});

it("leaves nothing in the address at its defaults, and other parameters alone", () => {
  const query = writeSettings(new URLSearchParams("tab=table&smooth=0.6&log=a"), defaultSettings);
  expect(query.toString()).toBe("tab=table");
});

it.each([
  "smooth=1",
  "smooth=-2",
  "smooth=x",
  "range=5",
  "range=9-3",
  "range=a-b",
  "hide=,,",
  "over=mode",
  "x=y",
  "size=9",
  "ylim=a:2..1",
])("reads %s as the default instead of breaking", (query) => {
  expect(parseSettings(new URLSearchParams(query))).toEqual(defaultSettings);
});

it("toggles one line, and solos it until it is soloed again", () => {
  expect([...toggled(new Set(["a"]), "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a"]), "a")]).toEqual([]);
  // Lines of one entry are toggled together: if one of them is already hidden, the click hides the remaining lines.
  expect([...toggled(new Set(["a"]), "a", "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a", "b"]), "a", "b")]).toEqual([]);
  const alone = soloed(new Set(), ["a", "b", "c"], ["b"]);
  expect([...alone]).toEqual(["a", "c"]);
  expect([...soloed(alone, ["a", "b", "c"], ["b"])]).toEqual([]);
});

const field = (key: string, numLevels = 2) => ({
  key,
  title: key,
  levels: Array.from({ length: numLevels }, (_, i) => String(i)),
  cells: Array.from({ length: numLevels }, (_, i) => ({ cellId: i, level: i })),
});
const fields = [field("environment"), field("rate"), field("clip"), field("batch")];
const usual = { shade: null, dash: null, facet: null };
const keysOf = (settings: Parameters<typeof chooseLooks>[1]) =>
  Object.values(chooseLooks(fields, settings)).map((one) => one?.key);

it.each([
  [usual, [undefined, undefined, "environment"]],
  [{ ...usual, shade: "clip" }, ["clip", undefined, "environment"]],
  [{ ...usual, facet: "rate" }, [undefined, undefined, "rate"]],
  [{ shade: "none", dash: "environment", facet: null }, [undefined, "environment", undefined]],
  [{ shade: "gone", dash: "none", facet: "none" }, [undefined, undefined, undefined]],
])(
  "gives lines their configuration's look and environments charts of their own, but for what was chosen: %j",
  (settings, keys) => {
    expect(keysOf(settings)).toEqual(keys);
  },
);

it("keeps the method's hue and steps its lightness from level to level, further from the surface each time", () => {
  const cells = [0, 1, 2].map((id) => ({ id, sweepId: "s", sweepName: "s", method: "GRPO", label: `rate ${id}` }));
  const legend = prepareLegend(cells, { shade: field("rate", 3) });
  const pairs = legend.map(({ color }) => /light-dark\((#\w+), (#\w+)\)/.exec(color)?.slice(1) ?? []);
  for (const [theme, surface] of ["#ffffff", "#161b22"].entries()) {
    const contrasts = pairs.map((pair) => contrastOf(pair[theme] ?? surface, surface));
    expect(contrasts).toEqual(contrasts.toSorted((a, b) => a - b));
    expect(contrasts[0]).toBeGreaterThanOrEqual(3);
  }
  expect(legend.map(({ dash }) => dash)).toEqual([undefined, undefined, undefined]);
});

it("dashes by the other field, and tells apart what would look the same", () => {
  const cells = [0, 1, 2].map((id) => ({ id, sweepId: "s", sweepName: "s", method: "GRPO", label: String(id) }));
  expect(prepareLegend(cells, { dash: field("clip", 3) }).map(({ dash }) => dash)).toEqual([
    undefined,
    "2 2.5",
    "9 3 2 3",
  ]);
  expect(prepareLegend(cells).map(({ dash }) => dash)).toEqual([undefined, "2 2.5", "9 3 2 3"]);
});

it("gives no line the baseline's dash, nor one that looks like it: long and plain", () => {
  for (const dash of [...lineDashes, ...families.flatMap(({ legend }) => legend.map((entry) => entry.dash))]) {
    const [length = 0, , ...more] = (dash ?? "0").split(" ").map(Number);
    expect(dash).not.toBe(baselineDash);
    expect(more.length > 0 || length <= 2).toBe(true);
  }
});
