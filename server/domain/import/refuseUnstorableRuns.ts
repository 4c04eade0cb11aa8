import { badInput } from "#server/domain/errors.ts";
import { findUnstorable } from "#server/domain/storable.ts";
import type { ForeignFile } from "./foreignRun.ts";

/** Steps are stored as four-byte integers. */
const maxStep = 2 ** 31 - 1;
/** Milliseconds since 1970 that dates know: until the year 275760. */
const maxTimeMs = 8.64e15;
const maxKeyLength = 500;

/** Throws `bad_input`, naming file, run and value, where a file holds what no column takes. */
export function refuseUnstorableRuns(fileName: string, runs: ForeignFile["runs"]): void {
  for (const { name, lines } of runs) {
    const path = name === "" ? fileName : `${fileName}, run ${JSON.stringify(name).slice(0, 80)}`;
    const refuse = (message: string) => badInput([{ path, message }]);
    const problem = findUnstorable(name);
    if (problem) throw refuse(`its name ${problem.message}`);
    const seen = new Set<string>();
    for (const { step, values, atMs = 0 } of lines) {
      if (step < 0 || step > maxStep) throw refuse(`step ${step}: steps are 0 to ${maxStep}`);
      if (Math.abs(atMs) > maxTimeMs) throw refuse(`time ${atMs} ms at step ${step} is none that a date can be`);
      for (const key of Object.keys(values)) seen.add(key);
    }
    for (const key of seen) {
      const shown = JSON.stringify(key.slice(0, 60));
      const bad = findUnstorable(key)?.message;
      if (bad !== undefined) throw refuse(`the metric ${shown} ${bad}`);
      if (key.length > maxKeyLength)
        throw refuse(`the metric ${shown}… has ${key.length} characters, limit is ${maxKeyLength}`);
    }
  }
}
