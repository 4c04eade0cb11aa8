import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { Parameters } from "#trainer/policy/parameters.ts";
import { roundParameters } from "#trainer/policy/rounding.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { hasMismatch, maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";

/** Policies by number of completed iterations, up to the maximum staleness. The arrays are never mutated. */
export type Versions = {
  newest(): number;
  oldest(): number;
  /** Stores a copy of the current policy as `version`, and drops versions that exceed the maximum staleness. */
  keep(version: number, parameters: Parameters): void;
  /** Returns the parameters of a version at the trainer's precision. */
  exact(version: number): Parameters;
  /** Returns the parameters of a version rounded to the sampler's precision. */
  rounded(version: number): Parameters;
  /** Returns all versions except the newest, which a checkpoint stores separately. */
  earlier(): ReadonlyMap<number, Parameters>;
};

type Kept = { exact: Parameters; rounded?: Parameters };

/** Makes the store of policy versions; undefined if the sampler always equals the current policy. */
export function makeVersions(
  { rollout }: Pick<RunSpec, "rollout">,
  config: PolicyConfig,
  begin: { version: number; parameters: Parameters; earlier?: ReadonlyMap<number, Parameters> },
): Versions | undefined {
  if (!hasMismatch(rollout)) return undefined;
  const [maxLag, precision] = [maxLagOf(rollout), precisionOf(rollout)];
  const kept = new Map<number, Kept>([...(begin.earlier ?? [])].map(([version, exact]) => [version, { exact }]));
  let newest = begin.version;
  const at = (version: number): Kept => {
    const found = kept.get(version);
    if (!found) throw new RangeError(`policy version ${version} is not kept: there are ${[...kept.keys()].join(", ")}`);
    return found;
  };
  const keep = (version: number, parameters: Parameters): void => {
    const copy = Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, values.slice()]));
    kept.set(version, { exact: copy });
    newest = version;
    for (const old of kept.keys()) if (old < version - maxLag) kept.delete(old);
  };
  keep(begin.version, begin.parameters);
  return {
    newest: () => newest,
    oldest: () => Math.min(...kept.keys()),
    keep,
    exact: (version) => at(version).exact,
    rounded(version) {
      const found = at(version);
      return (found.rounded ??= roundParameters(found.exact, config, precision));
    },
    earlier: () =>
      new Map([...kept].filter(([version]) => version < newest).map(([version, { exact }]) => [version, exact])),
  };
}

/**
 * Maximum fraction of the memory limit for stored versions. It is independent of the maximum staleness, because runs
 * that differ only in staleness share initial policies and need equal memory plans.
 */
const shareOfMemory = 0.2;

/** Throws if the stored policy versions, at both precisions, would exceed `shareOfMemory` of the run's memory limit. */
export function checkMemoryOfVersions({ rollout, execution }: RunSpec, numParameters: number): void {
  if (!hasMismatch(rollout)) return;
  const copies = (maxLagOf(rollout) + 1) * (precisionOf(rollout) === "float32" ? 1 : 2);
  const [taken, most] = [(copies * 4 * numParameters) / 1e6, shareOfMemory * execution.memoryLimitMb];
  if (taken <= most) return;
  throw new RangeError(
    `rollout.lag: a maximum lag of ${maxLagOf(rollout)} needs ${copies} copies of the policy, ${taken.toFixed(0)} MB; ` +
      `limit is ${most.toFixed(0)} MB, a fifth of execution.memoryLimitMb`,
  );
}
