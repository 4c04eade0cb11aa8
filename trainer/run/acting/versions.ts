import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { Parameters } from "#trainer/policy/parameters.ts";
import { roundParameters } from "#trainer/policy/rounding.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { hasMismatch, maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";

/**
 * The policy after each of the last iterations, by the number of iterations completed: as many as the greatest lag, and
 * the newest. The arrays are never changed.
 */
export type Versions = {
  newest(): number;
  oldest(): number;
  /** Keeps a copy of the policy as it is now, and forgets what is too old to write another episode. */
  keep(version: number, parameters: Parameters): void;
  /** As the trainer had it. */
  exact(version: number): Parameters;
  /** As the sampler has it: rounded once. */
  rounded(version: number): Parameters;
  /** All but the newest, for a checkpoint: that has the newest already. */
  earlier(): ReadonlyMap<number, Parameters>;
};

type Kept = { exact: Parameters; rounded?: Parameters };

/** Undefined where the sampler is the current policy, exactly: then no copy is made. */
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

/** Of the memory limit. What is planned with the rest does not depend on the lag: all lags share their start. */
const shareOfMemory = 0.2;

/** Throws where the versions, each exact and rounded, would take too much of the process's memory. */
export function checkMemoryOfVersions({ rollout, execution }: RunSpec, numParameters: number): void {
  if (!hasMismatch(rollout)) return;
  const copies = (maxLagOf(rollout) + 1) * (precisionOf(rollout) === "float32" ? 1 : 2);
  const [taken, most] = [(copies * 4 * numParameters) / 1e6, shareOfMemory * execution.memoryLimitMb];
  if (taken <= most) return;
  throw new RangeError(
    `rollout.lag: a greatest lag of ${maxLagOf(rollout)} keeps ${copies} copies of the policy, ${taken.toFixed(0)} MB; ` +
      `at most ${most.toFixed(0)} MB may be kept, a fifth of execution.memoryLimitMb`,
  );
}
