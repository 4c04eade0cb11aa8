import { createServer } from "node:http";
import type * as Dns from "node:dns/promises";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { post } from "./post.ts";
import { resolveAllowed } from "./resolveAllowed.ts";

const { lookup } = vi.hoisted(() => ({ lookup: vi.fn() }));
vi.mock("node:dns/promises", async (original) => {
  const dns = await original<typeof Dns>();
  lookup.mockImplementation(dns.lookup);
  return { ...dns, lookup };
});

const paths: string[] = [];
const server = createServer((request, response) => {
  paths.push(request.url ?? "");
  if (request.url === "/away") response.writeHead(302, { location: "/inside" });
  response.end("thanks");
});
let port = 0;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => server.close());

it.each([
  "127.0.0.1",
  "localhost",
  "0.0.0.0",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:a00:1]",
  "[::127.0.0.1]",
  "[::a00:1]",
  "[4000::1]",
  "[fd00::1]",
  "[fe80::1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[ff02::1]",
])("refuses http://%s, and nothing is sent", async (host) => {
  const before = paths.length;
  const url = `http://${host}:${port}/`;
  await expect(post({ url, body: {}, allowPrivate: [] })).rejects.toThrow(/not on the public internet/);
  expect(paths).toHaveLength(before);
});

it.each([["127.0.0.1"], ["127.0.0.0/8"], ["::ffff:127.0.0.1"]])("lets through what %s allows", async (allowed) => {
  await post({ url: `http://127.0.0.1:${port}/allowed`, body: {}, allowPrivate: [allowed] });
  expect(paths.at(-1)).toBe("/allowed");
  await expect(post({ url: `http://10.0.0.1:${port}/`, body: {}, allowPrivate: [allowed] })).rejects.toThrow(
    /10\.0\.0\.1/,
  );
});

it("lets through names that are allowed, and public addresses", async () => {
  await post({ url: `http://localhost:${port}/named`, body: {}, allowPrivate: ["LOCALHOST"] });
  expect(paths.at(-1)).toBe("/named");
  expect(await resolveAllowed("93.184.216.34", [])).toEqual({ address: "93.184.216.34", family: 4 });
  expect(await resolveAllowed("[2606:2800:220:1::1]", [])).toEqual({ address: "2606:2800:220:1::1", family: 6 });
});

it("connects to the address that it checked, whatever the name has next", async () => {
  lookup.mockResolvedValueOnce([{ address: "127.0.0.1", family: 4 }]);
  // No resolver knows this name, so a second look-up would fail.
  await post({ url: `http://rebinds.invalid:${port}/pinned`, body: {}, allowPrivate: ["127.0.0.1"] });
  expect(paths.at(-1)).toBe("/pinned");
});

it("refuses a name that has one address inside among others", async () => {
  lookup.mockResolvedValueOnce([
    { address: "93.184.216.34", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ]);
  await expect(resolveAllowed("both.example.org", [])).rejects.toThrow(/both\.example\.org is 127\.0\.0\.1/);
});

it("does not follow redirects", async () => {
  const away = post({ url: `http://127.0.0.1:${port}/away`, body: {}, allowPrivate: ["127.0.0.1"] });
  await expect(away).rejects.toThrow(/answered 302/);
  expect(paths).not.toContain("/inside");
});

it("says that a name has no address", async () => {
  await expect(resolveAllowed("nobody.invalid", [])).rejects.toThrow("nobody.invalid has no address");
});
