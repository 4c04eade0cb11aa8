import { splitOf, type Split } from "#trainer/spec/environment.ts";
import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { Programs } from "../../programs.ts";
import { heldOutRepos } from "../library/repos.ts";
import { mutationsOf, type Mutation } from "../mutation/mutate.ts";
import { bugsOf } from "./bugs.ts";
import { buildTask, draftTask, type Plan } from "./build.ts";
import { drawOne, type Task } from "./task.ts";
import { withOtherNames } from "./names.ts";
import { NoTask } from "../../environment.ts";

/**
 * Makes a generator of tasks: repositories with one bug each, which is verified by execution, so that at least one
 * test fails. Train and seen tasks share repositories and bug families, but one buggy file in eight is held out for
 * the seen tasks. Unseen tasks use two repositories and one family that training tasks never have.
 */
export function makeGenerator(python: Programs["python"], spec: SweGymSpec): (seed: number) => Task {
  const shares = makeShares(spec.bugFamilies, (family, rng) => sampleText(spec, { family, rng }));
  return (seed) => {
    const taskSplit = splitOf(seed);
    for (let attempt = 0; attempt < patience; attempt++) {
      // Half of the attempts use the same bug family, so that families with few bugs are as frequent as others.
      const family = drawFamily(spec, seed, attempt < patience / 2 ? 0 : attempt);
      const rng = split(seed, "sweGym", attempt);
      const plan = drawPlan(spec, { taskSplit, family, rng });
      const isWanted = (text: string): boolean =>
        taskSplit === "unseen" || shareOf(text) < shares(family) === (taskSplit === "seen");
      const task = plan && buildTask(python, spec, { ...plan, rng, isWanted });
      if (task !== undefined) return task;
    }
    const [families, repos] = [spec.bugFamilies.join(", "), spec.repos.join(", ")];
    throw new NoTask(`no bug of ${families} in ${repos}, seen over ${spec.hops} hops, in ${patience} attempts`);
  };
}

const patience = 400;

function drawFamily(spec: SweGymSpec, seed: number, attempt: number): Mutation["family"] {
  const rng = split(seed, "sweGym", "family", attempt);
  if (splitOf(seed) === "unseen" && rng.int(2) === 0) return "wrong_callee";
  return drawOne(spec.bugFamilies, rng) ?? "wrong_callee";
}

/** Samples a family's bugs uniformly. Sampling the repository first would favour bugs of small repositories. */
function drawPlan(
  spec: SweGymSpec,
  { taskSplit, family, rng }: { taskSplit: Split; family: Mutation["family"]; rng: Rng },
): Omit<Plan, "isWanted"> | undefined {
  const repos: readonly string[] = taskSplit === "unseen" ? heldOutRepos : spec.repos;
  const bug = drawOne(
    repos.flatMap((repo) => bugsOf(repo, spec.hops, family)),
    rng,
  );
  const chain = bug?.chain.map((link) => withOtherNames(link, spec.renamedPercent, rng)) ?? [];
  const [source] = chain;
  const mutation = bug && source && mutationsOf(source, family)[bug.mutationIndex];
  if (bug === undefined || mutation === undefined) return undefined;
  return { library: bug.library, chain, mutation };
}

/** Maps a buggy file to a pseudo-random number in [0, 1). The lowest numbers are held out for the seen tasks. */
function shareOf(text: string): number {
  return split("held out", text).next();
}

const seenShare = 1 / 8;
const numSamples = 300;

/**
 * Makes a function that returns a bug family's threshold: buggy files with numbers below it are held out for the seen
 * tasks. The threshold is 1/8. In small specifications no file may be below 1/8. Then the threshold is above each
 * family's lowest files, so that evaluation has tasks.
 */
function makeShares(
  families: readonly Mutation["family"][],
  sample: (family: Mutation["family"], rng: Rng) => string | undefined,
): (family: Mutation["family"]) => number {
  let known: ReadonlyMap<Mutation["family"], number> | undefined;
  return (family) => {
    known ??= findShares();
    return known.get(family) ?? seenShare;
  };

  function findShares(): ReadonlyMap<Mutation["family"], number> {
    const shares = new Map<Mutation["family"], number>();
    for (const family of families) {
      const found = new Set<number>();
      for (let i = 0; i < numSamples; i++) {
        const text = sample(family, split("sweGym", "shares", family, i));
        const share = text === undefined ? undefined : shareOf(text);
        if (share !== undefined && share < seenShare) return new Map();
        if (share !== undefined) found.add(share);
      }
      const sorted = [...found].sort((a, b) => a - b);
      // Files below this threshold are held out. A family's only file is not held out, as training has priority.
      shares.set(family, sorted[Math.max(1, Math.floor(sorted.length * seenShare))] ?? seenShare);
    }
    return shares;
  }
}

/** Samples the text of one buggy file of a family, without testing the bug. */
function sampleText(spec: SweGymSpec, { family, rng }: { family: Mutation["family"]; rng: Rng }): string | undefined {
  const plan = drawPlan(spec, { taskSplit: "train", family, rng });
  let found: string | undefined;
  const isWanted = (text: string): boolean => {
    found = text;
    return false;
  };
  if (plan) draftTask(spec, { ...plan, rng, isWanted });
  return found;
}
