import { expect, test } from "vitest";
import { callerAddress } from "./callerAddress.ts";

test.each([
  // A client cannot forge another address through headers.
  [{ "x-arlarena-address": "10.0.0.7", "x-forwarded-for": "1.2.3.4" }, "10.0.0.7"],
  [{ "x-arlarena-address": "127.0.0.1", "x-forwarded-for": "6.6.6.6, 10.0.0.8" }, "10.0.0.8"],
  [{ "x-arlarena-address": "::ffff:127.0.0.1" }, "::ffff:127.0.0.1"],
  [{ "x-arlarena-address": "2001:db8:1:2:aaaa:bbbb:cccc:dddd" }, "2001:db8:1:2"],
  [{}, ""],
])("%j calls from %s", (headers, address) => {
  expect(callerAddress(new Headers(Object.entries(headers)))).toBe(address);
});
