import { open } from "node:fs/promises";
import { join } from "node:path";
import { RunEvent } from "#trainer/spec/event.ts";
import { ignoreMissing } from "../processIdentity.ts";

const tailBytes = 1 << 20;

/** Last iteration in the local copy of an attempt's log; 0 without any. */
export async function knownIteration(folder: string): Promise<number> {
  const file = await open(join(folder, "events.jsonl")).catch(ignoreMissing);
  if (file === undefined) return 0;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, tailBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString("utf8").split("\n").toReversed();
    return lines.map(iterationOf).find((iteration) => iteration !== undefined) ?? 0;
  } finally {
    await file.close();
  }
}

// The first line may be cut, and the last may be incomplete.
function iterationOf(line: string): number | undefined {
  try {
    const event = RunEvent.safeParse(JSON.parse(line));
    return event.success && event.data.type === "metrics" ? event.data.iteration : undefined;
  } catch {
    return undefined;
  }
}
