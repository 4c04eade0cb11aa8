import { expect, it } from "vitest";
import { findNear } from "./NearPages.tsx";

const known = ["table-3-sokoban-zvdmq", "table-3-webshop-ab1cd", "quick-look-x9y8z"].map((word) => ({ word }));
const near = (wanted: string) => findNear(wanted, known).map(({ word }) => word);

it("finds a sweep by the name in its address, without the random end and with a typing error", () => {
  expect(near("table-3-sokoban")[0]).toBe("table-3-sokoban-zvdmq");
  expect(near("tabel-3-sokoban")).toContain("table-3-sokoban-zvdmq");
  expect(near("table-3-sokoban-zvdmw")[0]).toBe("table-3-sokoban-zvdmq");
  expect(near("something-else")).toEqual([]);
});
