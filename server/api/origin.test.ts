import { expect, test } from "vitest";
import { isKnownHost, isSameOrigin } from "./origin.ts";

test.each([
  ["localhost:4000", [], true],
  ["127.0.0.1:80", [], true],
  ["[::1]:4000", [], true],
  ["LOCALHOST", [], true],
  ["evil.example:4000", [], false],
  ["127.0.0.1.evil.example", [], false],
  ["lab.example:4000", ["lab.example"], true],
  ["lab.example:4000", ["lab.example:4000"], true],
  ["lab.example:5000", ["lab.example:4000"], false],
  ["", [], false],
])("host %s with %j configured is known: %s", (host, configured, known) => {
  expect(isKnownHost(host, configured)).toBe(known);
});

test.each([
  [{ host: "localhost:4000", origin: "http://localhost:4000" }, true],
  [{ host: "localhost:4000", origin: "http://localhost:4001" }, false],
  [{ host: "localhost:4000", origin: "https://evil.example" }, false],
  [{ host: "localhost:4000", origin: "null" }, false],
  [{ host: "localhost:4000" }, false],
  [{ host: "localhost:4000", "sec-fetch-site": "cross-site" }, false],
  [{ host: "localhost:4000", "sec-fetch-site": "same-origin" }, true],
])("a request with %j is from our own pages: %s", (headers, same) => {
  expect(isSameOrigin(new Headers(headers))).toBe(same);
});
