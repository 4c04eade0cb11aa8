import { expect, it } from "vitest";
import { canonicalJson, contentHash, makeContentHash } from "./canonical.ts";

it("sorts keys at every depth and drops undefined", () => {
  const value = { b: [{ d: 1, c: null }], a: 'x"y', z: undefined };
  expect(canonicalJson(value)).toBe('{"a":"x\\"y","b":[{"c":null,"d":1}]}');
  expect(JSON.parse(canonicalJson(value))).toEqual({ a: 'x"y', b: [{ c: null, d: 1 }] });
});

it("keeps the order of arrays", () => {
  expect(canonicalJson([3, 1, 2])).toBe("[3,1,2]");
});

it("hashes as FNV-1a does: 64 bits of the canonical text", () => {
  // The published FNV-1a hash of the single byte "0".
  expect(contentHash(0)).toBe("af63ad4c86019caf");
});

it("gives equal hashes to equal values only", () => {
  expect(contentHash({ a: 1, b: 2 })).toBe(contentHash({ b: 2, a: 1, c: undefined }));
  const different = [{}, [], null, 0, "0", { a: 1 }, { a: "1" }, { a: [1] }, { a: { b: 1 } }];
  expect(new Set(different.map(contentHash)).size).toBe(different.length);
});

it("hashes values that share parts as it hashes each alone", () => {
  const shared = { b: [1, { c: null }], a: "ü漢" };
  const hash = makeContentHash();
  for (const value of [{ shared, x: 1 }, { y: undefined, shared }, { z: shared, shared, list: [shared] }, {}])
    expect(hash(value)).toBe(contentHash(value));
});
