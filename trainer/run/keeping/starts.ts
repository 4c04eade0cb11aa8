import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forgetOldest } from "#trainer/onnx/forgetOldest.ts";
import { placeOfComputation } from "#trainer/onnx/placeOfComputation.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { whatDeterminesStart } from "#trainer/spec/start.ts";
import type { InitialisationEpoch, InitialisationRemark } from "#trainer/run/learning/initialise.ts";
import { readSealed, seal } from "./seal.ts";
import { loaded, policyShapes, stored, type NamedArrays } from "./state.ts";

/** What initialisation logs. */
export type Logged = InitialisationEpoch | InitialisationRemark;

/** A policy as initialisation left it, and everything logged on the way there. */
export type Start = { parameters: NamedArrays; logged: readonly Logged[] };

export type Starts = {
  /** Undefined when no run has left one, or it cannot be read: then it is made again. */
  load(spec: RunSpec): Start | undefined;
  /** A start that cannot be kept, on a full disk say, only costs the next run its time. */
  save(spec: RunSpec, config: PolicyConfig, start: Start): void;
};

/**
 * Initial policies, made once for all runs that differ only in how they go on: the methods of a sweep share the start
 * of each seed. Equal code, spec and machine would make the same bits again.
 */
export function makeStarts(folder: string, code: string, maxBytes = 256e6): Starts {
  const keyOf = (spec: RunSpec): string =>
    contentHash([code, placeOfComputation(), spec.seed, whatDeterminesStart(spec)]);
  const pathOf = (key: string): string => join(folder, `${key}.safetensors`);
  return {
    load(spec) {
      const key = keyOf(spec);
      try {
        const { tensors, metadata } = readSealed(pathOf(key), key);
        utimesSync(pathOf(key), new Date(), new Date());
        const logged: Logged[] = JSON.parse(metadata["logged"] ?? "");
        return { parameters: loaded("policy", tensors), logged };
      } catch {
        return undefined;
      }
    },
    save(spec, config, { parameters, logged }) {
      const numbers = logged.flatMap((each) => ("values" in each ? Object.values(each.values) : []));
      if (!numbers.every(Number.isFinite)) return; // JSON has no such numbers.
      const key = keyOf(spec);
      const draft = join(folder, `${randomUUID()}.part`);
      try {
        mkdirSync(folder, { recursive: true });
        const tensors = stored("policy", parameters, policyShapes(config));
        writeFileSync(draft, seal(tensors, key, { logged: JSON.stringify(logged) }));
        renameSync(draft, pathOf(key));
        forgetOldest(folder, maxBytes);
      } catch {
        rmSync(draft, { force: true });
      }
    },
  };
}
