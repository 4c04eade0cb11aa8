// @module-tag soak
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const lock = new URL("lock.ts", import.meta.url).href;
/** Requests and releases the lock of a folder until the process has held it 400 times. */
const script = `
const { releaseLock, requestLock } = await import(${JSON.stringify(lock)});
for (let n = 0; n < 400; ) if (requestLock(process.argv[1]) === "mine") { releaseLock(process.argv[1]); n++; }
`;

test("processes release a lock while others request it", async () => {
  const home = mkdtempSync(join(tmpdir(), "arlarena-lock-"));
  const args = ["--import", "tsx", "--input-type=module", "-e", script, join(home, "work")];
  const run = () => promisify(execFile)(process.execPath, args);
  const errors = await Promise.all([run(), run(), run()].map((one) => one.then(({ stderr }) => stderr, String)));
  expect(errors).toEqual(["", "", ""]);
  expect(readdirSync(home)).toEqual([]);
  rmSync(home, { recursive: true });
});
