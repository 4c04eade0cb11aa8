import { describe, expect, it } from "vitest";
import { choicePart, isChoice, listPart, sweepsPart, textPart, type AddressPart } from "./address.ts";

const write = <Value>(part: AddressPart<Value>, text: string, value: Value) =>
  part.write(new URLSearchParams(text), value).toString();

describe("parts of an address", () => {
  const tab = choicePart("tab", ["curves", "table"], "curves");

  it("reads the usual value where the address says nothing, or what no page has", () => {
    expect(["", "tab=table", "tab=gone"].map((text) => tab.parse(new URLSearchParams(text)))).toEqual([
      "curves",
      "table",
      "curves",
    ]);
    expect(listPart("metrics").parse(new URLSearchParams("metrics=a,,b"))).toEqual(["a", "b"]);
    expect(textPart("filter").parse(new URLSearchParams())).toBe("");
  });

  it("writes itself alone, and nothing where it is as usual", () => {
    expect(write(tab, "x=1", "table")).toBe("x=1&tab=table");
    expect(write(tab, "x=1&tab=table", "curves")).toBe("x=1");
    expect(write(listPart("metrics"), "x=1", ["a", "b"])).toBe("x=1&metrics=a%2Cb");
    expect(write(listPart("metrics"), "metrics=a&x=1", [])).toBe("x=1");
    expect(write(textPart("filter"), "filter=old", "new words")).toBe("filter=new+words");
  });

  it("leaves nothing about former sweeps behind", () => {
    const sweeps = sweepsPart(["run", "hide"]);
    expect(write(sweeps, "sweep=1&run=7&metric=m&hide=a", ["2", "3"])).toBe("metric=m&sweep=2&sweep=3");
    expect(sweeps.parse(new URLSearchParams("sweep=2&sweep=3"))).toEqual(["2", "3"]);
  });
});

describe("what going back undoes", () => {
  const differ = (before: string, after: string, continuous?: string[]) =>
    isChoice(new URLSearchParams(before), new URLSearchParams(after), continuous);

  it("is a choice: a tab, a sweep, a baseline", () => {
    expect(differ("sweep=a", "sweep=a&tab=survival")).toBe(true);
    expect(differ("sweep=a&sweep=b", "sweep=a")).toBe(true);
    expect(differ("q=x", "q=y&by=method", ["q"])).toBe(true);
  });

  it("is not each key and each step of a slider", () => {
    expect(differ("q=gsp", "q=gspo", ["q"])).toBe(false);
    expect(differ("smooth=0.1&x=time", "x=time&smooth=0.15", ["smooth"])).toBe(false);
    expect(differ("a=1&b=2", "b=2&a=1")).toBe(false);
  });
});
