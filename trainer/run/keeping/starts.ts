import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { forgetOldest } from "#trainer/onnx/session.ts";
import { placeOfComputation } from "#trainer/onnx/deviceTensor.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { parameterShapes } from "#trainer/policy/parameters.ts";
import { writeParts } from "#trainer/policy/tensorFile.ts";
import { contentHash } from "#trainer/spec/canonical.ts";
import type { ModelOrigin } from "#trainer/spec/event.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { whatDeterminesStart } from "#trainer/spec/start.ts";
import type { InitialisationEpoch, InitialisationRemark } from "#trainer/run/learning/initialise.ts";
import { readSealed, seal } from "./seal.ts";
import { loaded, stored, type NamedArrays } from "./state.ts";

/** Lines that initialisation (cloning, rejection fine-tuning) writes to the run's log. */
export type Logged = InitialisationEpoch | InitialisationRemark;

/** Initial policy of reinforcement learning, with the log lines of its initialisation. */
export type Start = { parameters: NamedArrays; logged: readonly Logged[] };

/** Specification and pretrained model that together determine an initial policy. */
export type Origin = { spec: RunSpec; model?: ModelOrigin | undefined };

export type Starts = {
  /** Loads an initial policy; undefined if no run stored the policy or its file is unreadable. */
  load(origin: Origin): Start | undefined;
  /** Caches an initial policy. If that fails, as on a full disk, the next run computes the policy again. */
  save(origin: Origin, config: PolicyConfig, start: Start): void;
};

/**
 * Makes a cache of initial policies for runs that differ only after initialisation: for each seed, the methods of a
 * sweep share one. Equal code, specification and machine give bitwise equal policies.
 */
export function makeStarts(folder: string, code: string, maxBytes = 256e6): Starts {
  // The key has a hash of the pretrained model's files: a folder's contents change, and branches move.
  const keyOf = ({ spec, model }: Origin): string =>
    contentHash([code, placeOfComputation(), spec.seed, whatDeterminesStart(spec), ...(model ? [model.sha256] : [])]);
  const pathOf = (key: string): string => join(folder, `${key}.safetensors`);
  return {
    load(origin) {
      const key = keyOf(origin);
      try {
        const { tensors, metadata } = readSealed(pathOf(key), key);
        utimesSync(pathOf(key), new Date(), new Date());
        const logged: Logged[] = JSON.parse(metadata["logged"] ?? "");
        return { parameters: loaded("policy", tensors), logged };
      } catch {
        return undefined;
      }
    },
    save(origin, config, { parameters, logged }) {
      const numbers = logged.flatMap((each) => ("values" in each ? Object.values(each.values) : []));
      if (!numbers.every(Number.isFinite)) return; // JSON cannot represent NaN and infinity.
      const numBytes = Object.values(parameters).reduce((total, { byteLength }) => total + byteLength, 0);
      if (numBytes > maxBytes) return;
      const key = keyOf(origin);
      const draft = join(folder, `${randomUUID()}.part`);
      try {
        mkdirSync(folder, { recursive: true });
        const tensors = stored("policy", parameters, parameterShapes(config));
        writeParts(draft, seal(tensors, key, { logged: JSON.stringify(logged) }).parts());
        renameSync(draft, pathOf(key));
        forgetOldest(folder, maxBytes);
      } catch {
        rmSync(draft, { force: true });
      }
    },
  };
}
