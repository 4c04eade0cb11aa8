import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { compressScripts } from "./buildApp.ts";
import { startWebServer } from "./testing/webServer.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-brotli-"));
const script = "export const answer = 42;\n".repeat(50);
mkdirSync(join(folder, "static/chunks"), { recursive: true });
writeFileSync(join(folder, "static/chunks/app.js"), script);
writeFileSync(join(folder, "static/font.woff2"), "a font");
await compressScripts(join(folder, "static"));
process.env["ARLARENA_BUILD_FOLDER"] = folder;

// Behaves like Next.js, which sends the file that the address names.
const web = await startWebServer(
  "sendBrotli.mjs",
  `const { existsSync, readFileSync } = require("node:fs");
  const server = require("node:http").createServer(({ url }, response) => {
    const path = process.env.ARLARENA_BUILD_FOLDER + url.split("?")[0].replace("/_next", "");
    if (existsSync(path)) response.end(readFileSync(path)); else response.writeHead(404).end();
  });`,
);
afterAll(() => {
  web.close();
  rmSync(folder, { recursive: true });
});

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer };

function ask(path: string, encodings: string): Promise<Answer> {
  const headers = { "accept-encoding": encodings };
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port: web.port, path, headers }, (answer) => {
      const { statusCode: status, headers: received } = answer;
      buffer(answer).then((body) => resolve({ status, headers: received, body }), reject);
    });
    asking.on("error", reject).end();
  });
}

test.each(["/_next/static/chunks/app.js", "/_next/static/chunks/app.js?v=1"])(
  "a browser that takes Brotli gets the compressed script: %s",
  async (path) => {
    const { headers, body } = await ask(path, "gzip, deflate, br, zstd");
    expect(headers).toMatchObject({
      "content-encoding": "br",
      "content-type": "application/javascript; charset=UTF-8",
      vary: "Accept-Encoding",
    });
    expect(body.length).toBeLessThan(script.length / 5);
    expect(brotliDecompressSync(body).toString()).toBe(script);
  },
);

test("one that does not gets it as it was, and a cache between learns that there are two", async () => {
  const { headers, body } = await ask("/_next/static/chunks/app.js", "gzip, deflate");
  expect(headers["content-encoding"]).toBeUndefined();
  expect(headers.vary).toBe("Accept-Encoding");
  expect(body.toString()).toBe(script);
});

test("other files, and files that are not there, are left to the server", async () => {
  const font = await ask("/_next/static/font.woff2", "br");
  expect([font.headers["content-encoding"], font.body.toString()]).toEqual([undefined, "a font"]);
  const missing = await ask("/_next/static/none.js", "br");
  expect([missing.status, missing.headers["content-encoding"]]).toEqual([404, undefined]);
});
