import { describe, expect, it } from "vitest";
import { states } from "../_ui/states.ts";
import { prepareFlags, formatFlags, stateAt } from "./prepareFlags.ts";

const entry = { id: "1", cellId: 1, label: "SAPO", color: "blue", dash: undefined };
const entryOf = new Map([[1, entry]]);
const names = (...ids: string[]) => new Map(ids.map((runId, seed) => [runId, { runId, cellId: 1, seed }]));
const events = (["info", "warning", "unstable", "collapsed", "hindsight"] as const).map((severity, i) => ({
  runId: "a",
  iteration: 10 * i,
  severity,
  message: severity,
}));

describe("alarms on charts", () => {
  it("are all drawn for one run, but for remarks", () => {
    expect(prepareFlags(events, names("a"), entryOf).map(({ x }) => x)).toEqual([10, 20, 30, 40]);
  });

  it("have the signs and colours of the tables: a collapse has a cross, the detector's and the one in hindsight", () => {
    const flags = prepareFlags(events, names("a"), entryOf);
    expect(flags.map(({ x, kind }) => [x, kind])).toEqual([
      [10, "warning"],
      [20, "unstable"],
      [30, "collapsed"],
      [40, "hindsight"],
    ]);
    expect(flags.map(({ color }) => color)).toEqual(
      [states.warning, states.unstable, states.collapsed, states.collapsed].map(({ color }) => color),
    );
    expect([stateAt("collapsed").icon, stateAt("hindsight").icon]).toEqual(["cross", "cross"]);
  });

  it("are collapses alone where there are many runs, in the run's colour and with its name", () => {
    expect(prepareFlags(events, names("a", "b"), entryOf)).toEqual([
      { x: 40, color: "blue", label: "SAPO, seed 0: hindsight (40)", kind: "hindsight" },
    ]);
  });

  it("stand beside a new phase of a curriculum, which is named in the note", () => {
    const change = { runId: "a", iteration: 25, severity: "change" as const, message: "phase two begins" };
    const flags = prepareFlags([change, ...events.slice(1, 2)], names("a"), entryOf);
    expect(flags.map(({ x, kind }) => [x, kind])).toEqual([
      [25, "change"],
      [10, "warning"],
    ]);
    expect(formatFlags(flags, true)).toEqual([
      "dotted line: phase two begins (25)",
      "1 alarm of the detector: marks on the axis",
    ]);
  });

  it("of a new phase are drawn once for the seeds that begin it together", () => {
    const change = (runId: string, iteration: number) => {
      return { runId, iteration, severity: "change" as const, message: "phase two begins" };
    };
    const changes = [change("a", 25), change("b", 25), change("c", 31)];
    const flags = prepareFlags(changes, names("a", "b", "c"), entryOf);
    expect(flags).toEqual([
      { x: 25, color: "blue", label: "SAPO, 2 seeds: phase two begins (25)", kind: "change" },
      { x: 31, color: "blue", label: "SAPO, seed 2: phase two begins (31)", kind: "change" },
    ]);
    expect(formatFlags(flags, false)).toEqual(flags.map(({ label }) => `dotted line: ${label}`));
    const many = [0, 1, 2, 3].map((i) => change("a", i));
    expect(formatFlags(prepareFlags(many, names("a", "b"), entryOf), false)).toEqual([
      "4 changes of the data or task: dotted lines in the run's colour",
    ]);
  });

  it("leave out runs that are hidden", () => {
    expect(prepareFlags(events, names("a"), new Map())).toEqual([]);
  });

  it("are counted in a note", () => {
    expect(formatFlags([], true)).toEqual([]);
    expect(formatFlags(prepareFlags(events, names("a", "b"), entryOf), false)).toEqual([
      "1 collapse: × in the run's colour where half of the best success was lost, in hindsight",
    ]);
    expect(formatFlags(prepareFlags(events, names("a"), entryOf), true)).toEqual([
      "3 alarms of the detector: marks on the axis",
      "bold × where half of the best success was lost, in hindsight",
    ]);
  });
});
