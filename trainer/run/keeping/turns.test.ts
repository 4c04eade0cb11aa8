import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const turns = new URL("turns.ts", import.meta.url).href;
/** Takes and ends the turn of a folder until the process has had it 400 times. */
const script = `
const { endTurn, takeTurn } = await import(${JSON.stringify(turns)});
for (let n = 0; n < 400; ) if (takeTurn(process.argv[1]) === "mine") { endTurn(process.argv[1]); n++; }
`;

test("processes end a turn while others request it", async () => {
  const home = mkdtempSync(join(tmpdir(), "arlarena-turns-"));
  const args = ["--import", "tsx", "--input-type=module", "-e", script, join(home, "work")];
  const run = () => promisify(execFile)(process.execPath, args);
  const errors = await Promise.all([run(), run(), run()].map((one) => one.then(({ stderr }) => stderr, String)));
  expect(errors).toEqual(["", "", ""]);
  expect(readdirSync(home)).toEqual([]);
  rmSync(home, { recursive: true });
});
