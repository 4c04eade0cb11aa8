import { describe, expect, it } from "vitest";
import { toKeyAction, type Pressed } from "./keys.ts";

const pressed = (key: string, rest: Partial<Pressed> = {}) =>
  toKeyAction({ key, hasCommand: false, hasAlt: false, isTyping: false, isAwaiting: false, ...rest });

describe("keys", () => {
  it.each([
    ["?", { kind: "keys" }],
    ["/", { kind: "search" }],
    ["j", { kind: "move", by: 1 }],
    ["k", { kind: "move", by: -1 }],
    ["x", { kind: "select" }],
    ["g", { kind: "await" }],
    ["s", undefined],
  ])("%s", (key, action) => {
    expect(pressed(key)).toEqual(action);
  });

  it("go where the letter after g says", () => {
    expect(pressed("s", { isAwaiting: true })).toEqual({ kind: "go", href: "/sweeps" });
    expect(pressed("c", { isAwaiting: true })).toEqual({ kind: "go", href: "/analysis/compare" });
    expect(pressed("j", { isAwaiting: true })).toEqual({ kind: "move", by: 1 });
    expect(pressed("toString", { isAwaiting: true })).toBeUndefined();
  });

  it("do nothing while somebody types, but for the palette's chord", () => {
    for (const key of ["?", "/", "j", "k", "x", "g"]) expect(pressed(key, { isTyping: true })).toBeUndefined();
    expect(pressed("s", { isTyping: true, isAwaiting: true })).toBeUndefined();
    expect(pressed("K", { isTyping: true, hasCommand: true })).toEqual({ kind: "palette" });
  });

  it("leave the browser's chords alone", () => {
    expect(pressed("j", { hasCommand: true })).toBeUndefined();
    expect(pressed("k", { hasCommand: true, hasAlt: true })).toBeUndefined();
  });
});
