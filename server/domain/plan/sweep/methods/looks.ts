import { groupBy } from "#packages/base";
import { colourIndex, methodColour } from "./colours.ts";
import { areDistinct, palette, shadeOf } from "./shades.ts";

/** Look of a configuration on all pages: a CSS colour, and an index for the dash of its lines and shape of its dots. */
export type Look = { color: string; mark: number };

/** Number of dash patterns of lines and of shapes of dots. */
const numMarks = 6;

/** Shades of one hue that a reader can tell apart, in both themes. */
const shades = [0, 1 / 3, 2 / 3, 1];

/** With more configurations, colours and marks repeat, and the time for all pairs would be noticed. */
const maxCompared = numMarks * shades.length * 6;

type Cell = { id: number; method: string; environment: string; label: string };

/**
 * Chooses the look of each configuration of one sweep, in the order of the plan. Hue encodes the method, lightness the
 * setting that varies fastest, marks the others. Two configurations have the same mark only if their colours can be told
 * apart. Equal configurations in several environments look the same, because each environment has charts of its own.
 */
export function chooseLooks(cells: readonly Cell[]): Map<number, Look> {
  const methods = [...new Set(cells.map(({ method }) => method))];
  const byEnvironment = [...groupBy(cells, ({ environment }) => environment).values()];
  return new Map(
    byEnvironment.flatMap((inside) => {
      const wanted = [...groupBy(inside, ({ method }) => method)].flatMap(([method, own]) => {
        const slot = colourIndex(method, methods);
        const others = [...shades.map((at) => shadeOf(slot, at)), ...palette.map((_, i) => methodColour(i))];
        return shadesOf(own).map(({ id, at, mark }) => {
          return { id, color: at === undefined ? methodColour(slot) : shadeOf(slot, at), mark, others };
        });
      });
      return markApart(wanted).map(({ id, color, mark }): [number, Look] => [id, { color, mark }]);
    }),
  );
}

/**
 * Changes marks so that looks with one mark differ in colour; the first configurations keep theirs. If no mark is free,
 * one of the colours in `others` replaces the look's own.
 */
export function markApart<Item extends Look & { others?: readonly string[] }>(items: readonly Item[]): Item[] {
  if (items.length > maxCompared) return [...items];
  const placed: Item[] = [];
  for (const item of items) {
    const marks = Array.from({ length: numMarks }, (_, i) => (item.mark + i) % numMarks);
    const looks = [item.color, ...(item.others ?? [])].flatMap((color) => marks.map((mark) => ({ color, mark })));
    const free = looks.find((look) =>
      placed.every(({ color, mark }) => mark !== look.mark || areDistinct(color, look.color)),
    );
    placed.push({ ...item, ...free });
  }
  return placed;
}

/** Returns the shade (0 to 1; undefined for the method's own colour) and mark of a method's configurations. */
function shadesOf(own: readonly Cell[]): { id: number; at: number | undefined; mark: number }[] {
  const last = new Set(own.map(({ label }) => label.split(", ").at(-1))).size;
  const isGrid = last > 1 && last <= shades.length && own.length % last === 0;
  const numShades = isGrid ? last : Math.min(own.length, shades.length);
  return own.map(({ id }, i) => ({
    id,
    at: numShades === 1 ? undefined : (i % numShades) / (numShades - 1),
    mark: Math.floor(i / numShades) % numMarks,
  }));
}
