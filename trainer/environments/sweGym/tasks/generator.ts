import { splitOf } from "#trainer/spec/environment.ts";
import type { SweGymSpec } from "#trainer/spec/environments/sweGym.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { heldOutRepos } from "../library/repos.ts";
import { mutationsOf, type Mutation } from "../mutation/mutate.ts";
import { makeBugs, type Bugs } from "./bugs.ts";
import { buildTask, type Plan } from "./build.ts";
import { drawOne } from "./draw.ts";
import { withOtherNames } from "./names.ts";
import type { Task } from "./task.ts";

/**
 * Repositories with one bug each, verified by running them: some test fails because of it. Train and seen tasks are of
 * the same repositories and families, but one wrong file in eight is kept for the seen ones; unseen tasks are of two
 * repositories, and one family, that training never has.
 */
export function makeGenerator(sandbox: Sandbox, spec: SweGymSpec): (seed: number) => Task {
  const bugs = makeBugs(sandbox);
  return (seed) => {
    for (let attempt = 0; attempt < patience; attempt++) {
      // The family stays while there is hope, so that families with few possible bugs are as many as the others.
      const family = drawFamily(spec, seed, attempt < patience / 2 ? 0 : attempt);
      const rng = split(seed, "sweGym", attempt);
      const plan = drawPlan(spec, bugs, { seed, family, rng });
      const task = plan && buildTask(sandbox, spec, { ...plan, rng });
      if (task !== undefined) return task;
    }
    const [families, repos] = [spec.bugFamilies.join(", "), spec.repos.join(", ")];
    throw new Error(`no bug of ${families} in ${repos}, seen over ${spec.hops} hops, in ${patience} attempts`);
  };
}

const patience = 400;

function drawFamily(spec: SweGymSpec, seed: number, attempt: number): Mutation["family"] {
  const rng = split(seed, "sweGym", "family", attempt);
  if (splitOf(seed) === "unseen" && rng.int(2) === 0) return "wrong_callee";
  return drawOne(spec.bugFamilies, rng) ?? "wrong_callee";
}

/** One of the repositories that can have a bug of the family, and one of its functions with such a bug. */
function drawPlan(
  spec: SweGymSpec,
  bugs: Bugs,
  { seed, family, rng }: { seed: number; family: Mutation["family"]; rng: Rng },
): Plan | undefined {
  const taskSplit = splitOf(seed);
  const repos: readonly string[] = taskSplit === "unseen" ? heldOutRepos : spec.repos;
  const bug = drawOne(
    drawOne(
      repos.map((repo) => bugs(repo, spec.hops, family)).filter(({ length }) => length > 0),
      rng,
    ) ?? [],
    rng,
  );
  const chain = bug?.chain.map((own) => withOtherNames(own, spec.renamedPercent, rng)) ?? [];
  const [source] = chain;
  const mutation = bug && source && mutationsOf(source, family)[bug.mutationIndex];
  if (bug === undefined || mutation === undefined) return undefined;
  const isWanted = (text: string): boolean => taskSplit === "unseen" || isKeptForSeen(text) === (taskSplit === "seen");
  return { library: bug.library, chain, mutation, isWanted };
}

function isKeptForSeen(text: string): boolean {
  return split("held out", text).int(8) === 0;
}
