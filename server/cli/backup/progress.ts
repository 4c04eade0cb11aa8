import { formatBytes } from "#packages/base";
import type { Progress } from "#server/engine/backup/contents.ts";
import type { Screen } from "../command.ts";

const everyMs = 2000;
const titles = { tables: "Table", files: "File", check: "Checking file" };

/** Prints progress, a line every two seconds. */
export function makeReporter({ write }: Screen): (progress: Progress) => void {
  let printedMs = Date.now();
  return ({ what, done, total, bytes }) => {
    if (Date.now() - printedMs < everyMs) return;
    printedMs = Date.now();
    const count = total > 0 ? `${done + 1} of ${total}` : String(done + 1);
    write(`${titles[what]} ${count}, ${formatBytes(bytes)}\n`);
  };
}
