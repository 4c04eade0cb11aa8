import { array, assert, constantFrom, double, integer, property, tuple } from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { compareValues } from "#server/domain/analysis/compare/finals.ts";
import { describeHeadline } from "#server/domain/runs/headline/describe.ts";
import { describeDifferences, rankConfigurations } from "#server/domain/runs/headline/rank.ts";
import { summariseGroup } from "#server/domain/runs/table/summariseGroup.ts";
import { makeCharts } from "#server/domain/runs/series/makeCharts.ts";
import { partsOf, writeDifference } from "#packages/statistics";
import { mean, variance } from "#packages/statistics/summary.ts";
import { buildPreset } from "#server/domain/publish/tables/builder/presets.ts";
import { toHtml, toMarkdown } from "#packages/tables";
import { toLatex } from "#packages/tables/latex.ts";
import { build, make, success } from "#server/domain/publish/tables/testing/builderInput.ts";
import { TableView } from "./_components/table/TableView.tsx";
import { lastValues } from "./_charts/valuesAt.ts";
import { SpreadText } from "./_ui/SpreadText.tsx";
import { makeGroupColumns } from "./runs/_table/GroupTable.tsx";

const metric = { title: "Success rate", unit: "fraction", better: "up" } as const;
const noRuns = { numRuns: 0, numJudged: 0, numCollapsed: 0, numUnclear: 0, numAwaited: 0, numAlarmed: 0 };
/** Generates a seed's success rate; the ends 0 and 1 are as frequent as all values between them. */
const rate = constantFrom(0, 1, NaN).chain((end) =>
  double({ min: 0, max: 1, noNaN: true }).map((x) => (x < 0.2 ? end : x)),
);
const samples = integer({ min: 1, max: 6 }).chain((n) =>
  tuple(...[0, 1].map(() => array(rate, { minLength: n, maxLength: n }))),
);

it(
  "no formatter leaves 0 to 100 %, writes ± without its name, or more than one interval of one sample",
  { tags: "soak" },
  () => {
    assert(
      property(samples, ([a = [], b = []]) => {
        const both = [a, b];
        const texts = both.flatMap((values) => (values.some(Number.isFinite) ? writeEach(values) : []));
        for (const { place, text, scale } of [...texts, ...writeTogether(both)]) {
          expect(text, place).not.toMatch(/±|\\pm/);
          for (const [, low, high] of text.matchAll(/\[([-−\d.]+), ([-−\d.]+)\]/g)) {
            const [from, to] = [low, high].map((end) => Number(end?.replace("−", "-")));
            expect(from, `${place}: ${text}`).toBeLessThanOrEqual(to ?? NaN);
            expect(from, `${place}: ${text}`).toBeGreaterThanOrEqual(scale === "difference" ? -100 : 0);
            expect(to, `${place}: ${text}`).toBeLessThanOrEqual(100);
          }
        }
      }),
      { numRuns: 150 },
    );
  },
);

it("a standard deviation stands where a table asks for it alone, by its name", () => {
  const table = build(make(), { interval: "std" });
  expect(table.caption).toContain("± standard deviation (sd)");
  expect(toMarkdown(table)).toContain("**82.0** ± 1.6");
  expect(toMarkdown(build(make(), {}))).not.toContain("±");
});

type Written = { place: string; text: string; scale: "percent" | "difference" };

/** Returns one sample's mean and spread, as formatted by every function that does so. */
function writeEach(values: readonly number[]): Written[] {
  const runIds = values.map((_, i) => String(i));
  const series = values.map((value, i) => {
    return { runId: String(i), key: success, iterations: Int32Array.of(1), values: Float64Array.of(value) };
  });
  const options = { aggregate: "interval", seeds: false, maxPoints: 10, range: null } as const;
  const [chart] = makeCharts(series, { cells: [{ cellId: 1, runIds }], keys: [success], options });
  const entry = { cellId: 1, id: "1", label: "GRPO", color: "", dash: undefined };
  const finite = values.filter(Number.isFinite);
  const column = { n: finite.length, mean: mean(finite), variance: variance(finite) };
  const field = { key: `final.${success}`, title: "", type: "number", group: "Metric", meaning: "" } as const;
  const group = { keys: [], titles: [], count: values.length, numSweeps: 1, numEnvironments: 1, columns: [column] };
  const [, cell] = makeGroupColumns({ by: [], columns: [field], onOpen: () => {} });
  const [spread] = compareValues([{ values }], metric);
  return [
    {
      place: "compare",
      text: spread ? renderToStaticMarkup(<SpreadText parts={partsOf(spread, metric)} />) : "",
      scale: "percent",
    },
    ...lastValues((chart?.bands ?? []).map((band) => ({ entry, band, unit: "fraction" }))).map(({ text }): Written => ({
      place: "chart",
      text,
      scale: "percent",
    })),
    {
      place: "runs, grouped",
      text: renderToStaticMarkup(<>{cell?.cell({ ...group, ...summariseGroup(group, [field]) }, 0)}</>).replace(
        /title="[^"]*"/,
        "",
      ),
      scale: "percent",
    },
  ];
}

/** Formats both samples as two configurations of a sweep. */
function writeTogether(samples: readonly (readonly number[])[]): Written[] {
  const configurations = samples.map((values, i) => {
    const [name, environment] = [`M${i}`, "Sokoban"];
    return {
      cellId: i,
      method: name,
      name,
      task: environment,
      environment,
      values,
      starts: values.map(() => 0.3),
      collapses: noRuns,
    };
  });
  const rankings = rankConfigurations(configurations, metric);
  const sentence = describeHeadline({ metric, rankings, collapses: noRuns });
  const differences = [...describeDifferences(rankings, 0, metric).values()];
  const [, compared] = compareValues(
    samples.map((values) => ({ values })),
    metric,
  );
  const seeds = (samples[0] ?? []).map((_, i) => i);
  const input = make({ methods: ["grpo", "sampo"], seeds, value: (cell, seed) => samples[cell]?.[seed] ?? NaN });
  const tables = [
    build(input, {}),
    ...(["final", "beforeAfter", "tasks"] as const).map((kind) => buildPreset(kind, input, success)),
  ];
  // The interval of the difference to the next configuration follows the colon.
  const [ahead = "", next = ""] = sentence.split(" significant: ");
  return [
    { place: "sentence", text: ahead, scale: "percent" },
    ...[next, ...differences, compared?.difference ? writeDifference(compared.difference, metric) : ""].map(
      (text): Written => ({ place: "difference", text, scale: "difference" }),
    ),
    ...tables.flatMap((table) =>
      [
        toMarkdown(table).replaceAll("\\", ""),
        toLatex(table),
        toHtml(table),
        renderToStaticMarkup(<TableView table={table} />),
      ].map((text): Written => ({ place: table.label, text, scale: "percent" })),
    ),
  ];
}
