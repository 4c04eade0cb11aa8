import { expect, it } from "vitest";
import { corner, currentAddress, entryAt, listedPages, menu, openedBy, pages, subjectOf } from "./pages.ts";

const current = (address: string) => {
  const { pathname, search } = new URL(address, "http://here.invalid");
  return currentAddress(pathname, search);
};

it.each([
  ["/compare", "/analysis/compare"],
  ["/compare?sweep=a&sweep=b", "/analysis/compare?sweep=a&sweep=b"],
  ["/compare?runs=r%2Cs", "/analysis/compare?runs=r%2Cs"],
  ["/stability?sweep=a", "/analysis/stability?sweep=a"],
  ["/stability?tab=overview&order=plan", "/analysis/stability?order=plan"],
  ["/stability?sweep=a&tab=survival&groups=clipping", "/analysis/stability/survival?sweep=a&groups=clipping"],
  ["/stability?sweep=a&tab=warning", "/analysis/stability/warning?sweep=a"],
  ["/stability?sweep=a&tab=detectors", "/analysis/stability/warning?sweep=a"],
  ["/stability?sweep=a&tab=climbs", "/analysis/stability/warning?sweep=a"],
  ["/stability?sweep=a&tab=replay", "/analysis/stability?sweep=a"],
  ["/stability?sweep=a&tab=replay&run=a-c0-s1", "/runs/a-c0-s1?sweep=a&tab=stability"],
  ["/stability?sweep=a&tab=dimensions", "/analysis/effects/dimensions?sweep=a"],
  ["/stability?sweep=a&tab=phases&x=lr", "/analysis/effects/phases?sweep=a&x=lr"],
  ["/stability?sweep=a&tab=findings", "/analysis/claims?sweep=a"],
  ["/hyperparameters?run=r", "/analysis/effects/hyperparameters?run=r"],
  ["/papers/figure3?sweep=a", "/analysis/claims/figure3?sweep=a"],
  ["/papers/figure4", "/analysis/claims/figure4"],
  ["/tables?sweep=a&counts=no", "/publish/tables?sweep=a&counts=no"],
  ["/reports", "/publish/reports"],
  ["/reports/7?edit=on", "/publish/reports/7?edit=on"],
  ["/nodes", "/fleet/nodes"],
  ["/cost?by=person", "/fleet/cost?by=person"],
  ["/alerts", "/fleet/alerts"],
  ["/audit?q=cancel", "/people/changes?q=cancel"],
  ["/runs/r?tab=metrics", "/runs/r?tab=overview"],
  ["/runs/r?tab=samples&task=3", "/runs/r?tab=episodes&task=3"],
  ["/runs/r?tab=history", "/runs/r?tab=details"],
  ["/runs/r?tab=log", "/runs/r?tab=details&details=log"],
  ["/runs/r?tab=spec", "/runs/r?tab=details&details=spec"],
  ["/analysis?sweep=a", "/analysis/compare?sweep=a"],
  ["/analysis/effects", "/analysis/effects/dimensions"],
  ["/publish", "/publish/tables"],
  ["/fleet", "/fleet/nodes"],
])("%s moved to %s", (former, address) => {
  expect(current(former)).toBe(address);
  expect(current(address), "it has arrived").toBeUndefined();
});

it.each([...Object.values(pages), "/sweeps/a?tab=table", "/runs/r?tab=play", "/sign-in", "/shared/1", "/nowhere"])(
  "%s stays",
  (address) => {
    expect(current(address)).toBeUndefined();
  },
);

it("lists each page of the menu once, with a title of its own; all letters differ", () => {
  const paths = listedPages.map(({ path }) => path);
  const { newSweep: _, ...listed } = pages;
  expect(paths).toEqual(expect.arrayContaining(Object.values(listed)));
  expect(new Set(paths).size).toBe(paths.length);
  expect(new Set(listedPages.map(({ title }) => title)).size).toBe(paths.length);
  const keys = listedPages.flatMap(({ key }) => key ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { key, title } of listedPages) if (key !== undefined) expect(title.toLowerCase()).toContain(key);
});

it("finds the entry of a page, and the page of an entry", () => {
  expect(entryAt(menu, "/analysis/stability/survival")?.title).toBe("Analysis");
  expect(entryAt(menu, "/runs/r")?.title).toBe("Runs");
  expect(entryAt(corner.people.pages, "/people/tokens")?.title).toBe("Tokens");
  expect(entryAt(menu, "/fleet/nodes")).toBeUndefined();
  expect(menu.map(openedBy)).toEqual(["/sweeps", "/runs", "/analysis/compare", "/publish/tables", "/environments"]);
});

it("knows the sweep or run of a page", () => {
  expect(subjectOf("/sweeps/a")).toEqual({ kind: "sweep", id: "a" });
  expect(subjectOf("/runs/r")).toEqual({ kind: "run", id: "r" });
  for (const path of ["/sweeps", "/sweeps/new", "/runs", "/analysis/compare"]) expect(subjectOf(path)).toBeUndefined();
});
