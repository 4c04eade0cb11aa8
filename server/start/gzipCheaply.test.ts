import { once } from "node:events";
import { get, IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { startWebServer } from "./testing/webServer.ts";

// Compresses with the module that Next.js uses.
const web = await startWebServer(
  "gzipCheaply.mjs",
  `const compress = require("next/dist/compiled/compression")();
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => Math.sin(i)));
  const server = require("node:http").createServer((request, response) =>
    compress(request, response, () => {
      response.setHeader("content-type", "application/json");
      response.end(text);
    }));`,
);
afterAll(web.close);

test("answers are compressed whole, at gzip's cheapest level", async () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => Math.sin(i)));
  const asked = get({ host: "127.0.0.1", port: web.port, headers: { "accept-encoding": "gzip, deflate, br" } });
  const [answer] = await once(asked, "response");
  if (!(answer instanceof IncomingMessage)) throw new Error("no answer");
  const body = await buffer(answer);
  expect(answer.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(body).toString()).toBe(text);
  const [cheapest = 0, usual = 0] = [1, 6].map((level) => gzipSync(text, { level }).length);
  expect(body.length).toBeGreaterThan((cheapest + usual) / 2);
});
