import { expect, it } from "vitest";
import type { TransferCell } from "#server/domain/analysis/transfer/transfer.ts";
import { chooseShown, prepareTransfer } from "./prepareTransfer.ts";

const spread = (mean: number) => ({ mean, n: 5, interval: { low: mean - 0.1, high: mean + 0.1 } });
const nothing = { mean: NaN, n: 0, interval: null };
const own: TransferCell = { isOwn: true, after: spread(0.8), change: spread(0.4), toOwn: nothing };
const away: TransferCell = { isOwn: false, after: spread(0.3), change: spread(-0.2), toOwn: spread(-0.5) };
const row = (configuration: string) => ({ environment: "a", configuration, runIds: ["r"], cells: [own, away] });
const data = { columns: ["a", "b"], rows: [row("GRPO"), row("SAMPO")], titles: { a: "small", b: "large" } };

const cellsOf = (shown: "after" | "change" | "toOwn") => prepareTransfer(data, shown)[0]?.rows[0]?.cells ?? [];

it("draws one heat map per configuration, with levels shaded from 0 to 1", () => {
  expect(prepareTransfer(data, "after").map(({ title }) => title)).toEqual(["GRPO", "SAMPO"]);
  expect(cellsOf("after")).toMatchObject([
    { text: "80.0 [70, 90] %", shade: 0.8, hue: "accent", isOwn: true },
    { text: "30.0 [20, 40] %", shade: 0.3, sentence: "trained in small, evaluated in large: 30.0 [20, 40] %" },
  ]);
});

it("draws differences with their sign, shaded by the largest of them", () => {
  expect(cellsOf("change")).toMatchObject([
    { text: "+40.0 [30, 50]", shade: 1, hue: "accent" },
    { text: "−20.0 [−30, −10]", shade: 0.5, hue: "bad" },
  ]);
  expect(cellsOf("toOwn")).toMatchObject([
    { text: "", n: 0 },
    { hue: "bad", shade: 1 },
  ]);
});

it("shows the values of the sentence first: the change, or the difference from runs trained there", () => {
  const choose = (cell: Partial<TransferCell>) =>
    chooseShown({ rows: [{ ...row("GRPO"), cells: [own, { ...away, ...cell }] }] });
  expect([choose({}), choose({ change: nothing }), choose({ change: nothing, toOwn: nothing })]).toEqual([
    "change",
    "toOwn",
    "after",
  ]);
});

it("says where nothing was evaluated, and leaves out environments in which no policy of a configuration was", () => {
  const lacking = { ...row("GRPO"), cells: [own, { ...away, after: nothing }] };
  const [some] = prepareTransfer({ ...data, rows: [lacking, row("GRPO")] }, "after");
  expect(some?.rows[0]?.cells[1]).toMatchObject({ text: "not evaluated", shade: 0 });
  const [none, whole] = prepareTransfer({ ...data, rows: [lacking, row("SAMPO")] }, "after");
  expect([none?.columns, whole?.columns]).toEqual([["small"], ["small", "large"]]);
  expect(none?.rows[0]?.cells).toHaveLength(1);
  const waiting = { ...row("GRPO"), cells: [own, away].map((cell) => ({ ...cell, after: nothing })) };
  const [begun] = prepareTransfer({ ...data, rows: [waiting] }, "after");
  expect(begun?.rows[0]?.cells.map(({ text }) => text)).toEqual(["not evaluated", "not evaluated"]);
});
