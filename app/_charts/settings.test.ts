import { expect, it } from "vitest";
import { defaultSettings, parseSettings, soloed, toggled, writeSettings, type ChartSettings } from "./settings.ts";

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
  // Lines of one entry are toggled together: if one is already hidden, the click hides the rest.
  expect([...toggled(new Set(["a"]), "a", "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a", "b"]), "a", "b")]).toEqual([]);
  const alone = soloed(new Set(), ["a", "b", "c"], ["b"]);
  expect([...alone]).toEqual(["a", "c"]);
  expect([...soloed(alone, ["a", "b", "c"], ["b"])]).toEqual([]);
});
