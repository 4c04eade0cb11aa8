import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listedPages } from "#server/domain/pages.ts";
import { carrySelection, selectionOf } from "./selection.ts";

const at = (path: string, query = "", shown: string[] = []) =>
  selectionOf({ path, query: new URLSearchParams(query), shown });

describe("the chosen sweeps", () => {
  it("are those of the address, each once", () => {
    expect(at("/analysis/compare", "sweep=a&sweep=b&sweep=a&sweep=")).toEqual(["a", "b"]);
    expect(at("/runs", "q=x")).toEqual([]);
  });

  it("are the sweep on its own page, and not where a new one is built", () => {
    expect(at("/sweeps/a%20b", "tab=table")).toEqual(["a b"]);
    expect(at("/sweeps/new", "from=a")).toEqual([]);
    expect(at("/sweeps", "sweep=a")).toEqual(["a"]);
  });

  it("are those that a page shows where its address names others or none", () => {
    expect(at("/runs/r", "", ["a"])).toEqual(["a"]);
    expect(at("/runs/r", "sweep=b", ["a"])).toEqual(["a"]);
    expect(at("/runs/r", "sweep=a&sweep=b", ["a"])).toEqual(["a", "b"]);
    expect(at("/analysis/compare", "runs=r,s", ["a", "b"])).toEqual(["a", "b"]);
  });
});

describe("an address", () => {
  it.each(listedPages.map(({ path }) => path))("%s carries them", (href) => {
    expect(carrySelection(href, ["a", "b c"])).toBe(`${href}?sweep=a&sweep=b%20c`);
  });

  it.each([
    ["/analysis/stability/survival?groups=clipping", "/analysis/stability/survival?groups=clipping&sweep=a"],
    ["/analysis/compare?runs=x,y", "/analysis/compare?runs=x,y&sweep=a"],
    ["/runs?q=seed:1#top", "/runs?q=seed:1&sweep=a#top"],
    ["/analysis/claims/figure3", "/analysis/claims/figure3?sweep=a"],
  ])("%s becomes %s", (href, carried) => {
    expect(carrySelection(href, ["a"])).toBe(carried);
  });

  it.each([
    "/sweeps/b",
    "/sweeps/new?preset=quick",
    "/runs/x?tab=stability",
    "/runs?q=from=x#top",
    "/analysis/compare?sweep=b",
    "/api/reports/1",
    "/sign-in",
    "/shared/1",
    "#content",
    "https://example.org/stability",
  ])("%s stays as it is", (href) => {
    expect(carrySelection(href, ["a"])).toBe(href);
  });

  it("of a run carries several sweeps, since the run says itself which one it is of", () => {
    expect(carrySelection("/runs/x", ["a", "b"])).toBe("/runs/x?sweep=a&sweep=b");
  });

  it("stays as it is where nothing is chosen", () => {
    expect(carrySelection("/analysis/compare", [])).toBe("/analysis/compare");
  });
});

it("follow every link of the pages: none leads elsewhere but through Link and useGo", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(300);
  // A deleted sweep must be removed from the selection.
  const around = files.filter((name) => {
    if (/_ui\/(?:Link\.tsx|useSelection\.ts|useAddress\.ts|selection\.test\.ts)$|SweepActions\.tsx$/.test(name))
      return false;
    return /from "next\/link"|router\.(?:push|replace)\(/.test(readFileSync(join("app", name), "utf8"));
  });
  expect(around).toEqual([]);
});
