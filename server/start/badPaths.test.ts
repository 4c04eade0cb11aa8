import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { startWebServer } from "./testing/webServer.ts";

// Behaves like Next.js, which decodes a path before any other code and fails.
const web = await startWebServer(
  "refuseBadPaths.mjs",
  `const server = require("node:http").createServer(({ url }, response) => {
    try { response.end(decodeURIComponent(url.split("?")[0])); } catch { response.writeHead(500).end(); }
  });`,
);
afterAll(web.close);

function ask(path: string, method = "GET"): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port: web.port, path, method }, (answer) => {
      text(answer).then((body) => resolve([answer.statusCode, body]), reject);
    });
    asking.on("error", reject).end();
  });
}

test.each(["/sweeps/%E0%A4%A", "/api/runs/%E0%A4%A/files/stdout", "/%", "/%ff?a=b"])(
  "a path that is not percent-encoded UTF-8 is refused: %s",
  async (path) => {
    expect(await ask(path)).toEqual([400, "The path of this address is not percent-encoded UTF-8\n"]);
  },
);

test.each([
  ["/sweeps/%E0%A4%85%25?next=%E0%A4%A", "/sweeps/अ%"],
  ["/a%2Fb", "/a/b"],
])("any other path is answered: %s", async (path, shown) => {
  expect(await ask(path)).toEqual([200, shown]);
});

test("a method that no request of Next.js can have is refused", async () => {
  expect(await ask("/sweeps", "TRACE")).toEqual([405, "TRACE is not answered here\n"]);
});

test("an address that Node.js does not read to its end is refused with the limit", async () => {
  const limit = "The address and headers of this request are longer than 16 kB\n";
  expect(await ask(`/${"a".repeat(20_000)}`)).toEqual([431, limit]);
});
