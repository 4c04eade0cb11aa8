import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { answerJson, makeRoute } from "./route.server.ts";

const large = { values: Array.from({ length: 5000 }, (_, i) => Math.sin(i)) };
const text = JSON.stringify(large);
const route = makeRoute<object>(({ url }) => {
  if (url.endsWith("/small")) return answerJson(200, { values: [1] });
  if (url.endsWith("/csv")) return new Response(text, { headers: { "content-type": "text/csv" } });
  return answerJson(202, large);
});

async function ask(path: string, accepted?: string) {
  const headers = { host: "localhost:4000", ...(accepted !== undefined && { "accept-encoding": accepted }) };
  const response = await route(new Request(`http://localhost:4000${path}`, { headers }), {});
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, encoding: response.headers.get("content-encoding"), response, body };
}

test.each([
  ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ["gzip, deflate", "gzip", gunzipSync],
] as const)("a large answer to a client that accepts %s is sent as %s", async (accepted, expected, decode) => {
  const { status, encoding, response, body } = await ask("/large", accepted);
  expect([status, encoding, response.headers.get("vary")]).toEqual([202, expected, "accept-encoding"]);
  expect(body.length).toBeLessThan(text.length / 2);
  expect(decode(body).toString()).toBe(text);
});

test.each([
  ["/large", undefined],
  ["/large", "gzip;q=0, br;q=0"],
  ["/small", "br"],
  ["/csv", "br"],
])("%s is sent unchanged to a client that accepts %s", async (path, accepted) => {
  const { encoding, body } = await ask(path, accepted);
  expect([encoding, body.toString()]).toEqual([null, path === "/small" ? '{"values":[1]}' : text]);
});
