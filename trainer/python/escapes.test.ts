import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPython } from "./loadPython.ts";
import { escapes } from "./testing/escapes.ts";

process.env["ESCAPE_SECRET"] = "of the host";
const python = await loadPython();
const folder = await mkdtemp(join(tmpdir(), "arlarena-escapes-"));
const mark = join(folder, "mark");
let numConnections = 0;
const server = createServer((socket) => {
  numConnections += 1;
  socket.destroy();
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address === "object" && address !== null) port = address.port;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

/** Limit on operations. A scan of all objects takes ten times the operations of other programs. */
const maxOperations = 10_000_000;

describe("a program does not leave the interpreter", () => {
  it.each(escapes)("by $by", async ({ source, ends }) => {
    const filled = source.replaceAll("MARK", mark).replaceAll("FOLDER", folder).replaceAll("PORT", `${port}`);
    const { stdout, error } = python({ source: filled, maxOperations });
    expect(stdout).toBe("");
    expect(error).toMatch(ends);
    await new Promise(setImmediate);
    expect({
      isMarked: existsSync(mark),
      isEscaped: "escaped" in globalThis,
      numConnections,
      code: process.exitCode,
    }).toEqual({ isMarked: false, isEscaped: false, numConnections: 0, code: undefined });
    expect(python({ source: "import math; print(math.pi, 6 * 7)" }).stdout).toBe("3.141592653589793 42\n");
  });
});
