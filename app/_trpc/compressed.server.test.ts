import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressed } from "./compressed.server.ts";

const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => Math.sin(i)));
const headers = { "content-type": "application/json", vary: "trpc-accept" };
const send = (accepted: string, body = text, status = 200) => {
  const request = new Request("http://localhost", { headers: { "accept-encoding": accepted } });
  return compressed(request, new Response(body, { status, headers }));
};

const cases = [
  ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ["gzip, deflate", "gzip", gunzipSync],
  ["identity", null, (bytes: Buffer) => bytes],
] as const;

test.each(cases)("a browser that accepts %s gets %s, twice the same", async (accepted, encoding, read) => {
  for (const answer of [await send(accepted), await send(accepted)]) {
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    if (encoding) expect(answer.headers.get("vary")).toBe("trpc-accept, Accept-Encoding");
    expect(read(Buffer.from(await answer.arrayBuffer())).toString()).toBe(text);
  }
});

test("another answer of the same length is not mistaken for it", async () => {
  const other = text.replace("1", "2");
  await send("br");
  expect(brotliDecompressSync(Buffer.from(await (await send("br", other)).arrayBuffer())).toString()).toBe(other);
});

test("small answers, other types and states pass", async () => {
  const small = await send("br", "[1]", 400);
  expect([small.status, small.headers.get("content-encoding"), await small.text()]).toEqual([400, null, "[1]"]);
  const stream = new Response(text, { headers: { "content-type": "text/event-stream" } });
  expect(await compressed(new Request("http://localhost", { headers: { "accept-encoding": "br" } }), stream)).toBe(
    stream,
  );
});
