import { describe, expect, it } from "vitest";
import { countLooks, type Drawn, findLooks, looksWithin } from "./looks.ts";

const at = (hours: number) => new Date(3_600_000 * hours);
const planned = (startedAt = 1): Drawn => ({ addedAt: null, startedAt: at(startedAt) });
const added = (addedAt: number, startedAt: number | null = addedAt + 1): Drawn => ({
  addedAt: at(addedAt),
  startedAt: startedAt === null ? null : at(startedAt),
});
const three = [planned(), planned(), planned()];

describe("looks at a comparison", () => {
  it("are none without added seeds, and none if seeds were added before any run had begun", () => {
    expect(looksWithin([[three, three]])).toEqual([]);
    expect(countLooks([...three, added(0.5)])).toBe(1);
  });

  it("give the information of equal and unequal samples", () => {
    const five = [...three, added(5), added(5)];
    expect(looksWithin([[five, five]])).toEqual([1.5, 2.5]);
    expect(looksWithin([[five, three]])).toEqual([1.5, 1 / (1 / 5 + 1 / 3)]);
  });

  it("are one for additions between which nothing began, and two for others", () => {
    expect(countLooks([...three, added(5, 9), added(6, 9), added(7, 9)])).toBe(2);
    expect(countLooks([...three, added(5, 6), added(7, 8)])).toBe(3);
    expect(countLooks([...three, added(5, null), added(7, 8)])).toBe(2);
  });

  it("count neither runs without a value nor looks at fewer than three seeds", () => {
    const drawn = [...three, added(5), added(8), added(11)];
    expect(findLooks({ values: [1, 2, NaN, 4, 5, 6], drawn }, { values: [1, 2, 3, 4, 5, 6], drawn })).toEqual([
      1 / (1 / 3 + 1 / 4),
      1 / (1 / 4 + 1 / 5),
      1 / (1 / 5 + 1 / 6),
    ]);
  });

  it("add up over strata, of which a group may have few seeds", () => {
    const two = [planned(), planned()];
    expect(
      looksWithin([
        [two, two],
        [two, [...two, added(5)]],
      ]),
    ).toEqual([2, 1 + 1 / (1 / 2 + 1 / 3)]);
  });
});
