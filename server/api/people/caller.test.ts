import { expect, it, test } from "vitest";
import type { Role } from "#server/domain/people/access.ts";
import { type Caller, callerAddress, listRefusals, makeRateLimit } from "./caller.ts";

const session = (role: Role | null): Caller => ({
  kind: "session",
  isSameOrigin: true,
  person: role && { id: 1, name: "Ada", role },
});

it.each<[Role | null, Record<string, string>]>([
  [
    "viewer",
    {
      change: "You are a viewer in this studio, but this request needs an editor",
      track: "You are a viewer in this studio, but this request needs an editor",
      share: "You are a viewer in this studio, but this request needs an editor",
      administer: "You are a viewer in this studio, but this request needs an administrator",
    },
  ],
  ["editor", { administer: "You are an editor in this studio, but this request needs an administrator" }],
  ["administrator", {}],
  [null, {}],
])("lists for %s what may not be done, with the sentence of the door", (role, refused) => {
  expect(listRefusals(session(role))).toEqual(refused);
});

it("lists nothing for strangers, who see no page", () => {
  expect(listRefusals({ kind: "stranger" })).toEqual({});
});

test("after so many tries one has to wait, and only so long", () => {
  const limit = makeRateLimit({ most: 3, everyMs: 6000, maxKeys: 10 });
  expect([1, 2, 3, 4].map(() => limit.take("a", 0))).toEqual([0, 0, 0, 6000]);
  expect(limit.take("a", 5000)).toBe(1000);
  expect(limit.take("a", 6000)).toBe(0);
  expect(limit.take("a", 6000)).toBe(6000);
  // Continued attempts do not prolong the wait.
  for (let atMs = 6000; atMs < 12_000; atMs += 100) limit.take("a", atMs);
  expect(limit.take("a", 12_000)).toBe(0);
});

test("one address does not use up another's tries", () => {
  const limit = makeRateLimit({ most: 1, everyMs: 1000, maxKeys: 10 });
  expect([limit.take("a", 0), limit.take("a", 0), limit.take("b", 0)]).toEqual([0, 1000, 0]);
});

test("a million addresses are not remembered", () => {
  const limit = makeRateLimit({ most: 1, everyMs: 1000, maxKeys: 2 });
  for (const key of ["a", "b", "c"]) limit.take(key, 0);
  // The oldest key was evicted, the newest was not.
  expect([limit.take("c", 0), limit.take("a", 0)]).toEqual([1000, 0]);
});

test.each([
  // A client cannot forge a different address with headers.
  [{ "x-arlarena-address": "10.0.0.7", "x-forwarded-for": "1.2.3.4" }, "10.0.0.7"],
  [{ "x-arlarena-address": "127.0.0.1", "x-forwarded-for": "6.6.6.6, 10.0.0.8" }, "10.0.0.8"],
  [{ "x-arlarena-address": "::ffff:127.0.0.1" }, "::ffff:127.0.0.1"],
  [{ "x-arlarena-address": "2001:db8:1:2:aaaa:bbbb:cccc:dddd" }, "2001:db8:1:2"],
  [{ "x-arlarena-address": "2001:db8::1" }, "2001:db8:0:0"],
  [{ "x-arlarena-address": "2001:db8::2" }, "2001:db8:0:0"],
  [{ "x-arlarena-address": "2001:0db8:0:0::1.2.3.4" }, "2001:db8:0:0"],
  [{ "x-arlarena-address": "fe80::1%eth0" }, "fe80:0:0:0"],
  [{ "x-arlarena-address": "::1" }, "0:0:0:0"],
  [{}, ""],
])("%j calls from %s", (headers, address) => {
  expect(callerAddress(new Headers(Object.entries(headers)))).toBe(address);
});
