import { groupBy } from "#packages/base";
import { writeDifference, writeSpread } from "#packages/statistics";
import type { TransferCell, TransferReport } from "#server/domain/analysis/transfer/transfer.ts";
import type { ShadeHue } from "#app/_components/shadeColor.ts";

/** Success after training, its change by training, or its difference from a policy trained in that environment. */
export type Shown = "after" | "change" | "toOwn";

export type ShownCell = {
  text: string;
  n: number;
  hue: ShadeHue;
  /** Intensity of the background colour, from 0 to 1. */
  shade: number;
  isOwn: boolean;
  sentence: string;
};

export type TransferBlock = {
  title: string;
  columns: string[];
  rows: { title: string; runIds: string[]; cells: ShownCell[] }[];
};

type Titled = Pick<TransferReport, "columns" | "rows"> & { titles: Readonly<Record<string, string>> };

/**
 * Returns one heat map per configuration, with the environments in which its policies were evaluated: all of them
 * before the first evaluation. A difference is shaded relative to the largest one.
 */
export function prepareTransfer({ columns, rows, titles }: Titled, shown: Shown): TransferBlock[] {
  const titleOf = (environment: string): string => titles[environment] ?? environment;
  const sizes = rows.flatMap(({ cells }) => cells.map((cell) => Math.abs(cell[shown].mean)).filter(Number.isFinite));
  const full = shown === "after" ? 1 : Math.max(1e-9, ...sizes);
  return [...groupBy(rows, ({ configuration }) => configuration)].map(([title, alike]) => {
    const all = columns.map((environment, i) => ({ i, name: titleOf(environment) }));
    const evaluated = all.filter(({ i }) => alike.some(({ cells }) => (cells[i]?.after.n ?? 0) > 0));
    const shownColumns = evaluated.length > 0 ? evaluated : all;
    return {
      title,
      columns: shownColumns.map(({ name }) => name),
      rows: alike.map(({ environment, runIds, cells }) => ({
        title: titleOf(environment),
        runIds,
        cells: shownColumns.flatMap(({ i, name }) => {
          const cell = cells[i];
          const place = `trained in ${titleOf(environment)}, evaluated in ${name}`;
          return cell ? [prepareCell(cell, { shown, full, place })] : [];
        }),
      })),
    };
  });
}

/** Chooses the values that the answer's sentence is about; success after training if no effect is known. */
export function chooseShown({ rows }: Pick<TransferReport, "rows">): Shown {
  const away = rows.flatMap(({ cells }) => cells.filter(({ isOwn }) => !isOwn));
  return (["change", "toOwn"] as const).find((key) => away.some((cell) => cell[key].n > 0)) ?? "after";
}

/** Unit of success rates and scores, which are fractions; their differences are formatted in percentage points. */
const rate = { unit: "fraction" };

type Place = { shown: Shown; full: number; place: string };

function prepareCell(cell: TransferCell, { shown, full, place }: Place): ShownCell {
  const spread = cell[shown];
  const { isOwn } = cell;
  if (spread.n === 0) {
    const text = shown === "toOwn" && isOwn ? "" : "not evaluated";
    return { text, n: 0, hue: "accent", shade: 0, isOwn, sentence: `${place}: ${text || "itself"}` };
  }
  const text = shown === "after" ? writeSpread(spread, rate) : writeDifference({ ...spread, value: spread.mean }, rate);
  return {
    text,
    n: spread.n,
    hue: spread.mean < 0 ? "bad" : "accent",
    shade: Math.min(1, Math.abs(spread.mean) / full),
    isOwn,
    sentence: `${place}: ${text}`,
  };
}
