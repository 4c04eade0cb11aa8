import { split } from "#trainer/spec/rng.ts";
import type { Programs } from "../../programs.ts";
import { runProbes } from "../checking/probe.ts";
import type { Library, LibraryFunction } from "../library/function.ts";
import { libraries } from "../library/repos.ts";
import { mutationsOf, type Mutation } from "../mutation/mutate.ts";
import { draftTask } from "./build.ts";

/**
 * A bug that changes the result of some call: the library, the chain of functions from the bug to that call, and the
 * bug's index in its family.
 */
export type Bug = { readonly library: Library; readonly chain: Chain; readonly mutationIndex: number };
type Chain = readonly LibraryFunction[];

export type Bugs = (repo: string, hops: number, family: Mutation["family"]) => readonly Bug[];

/**
 * Finds the bugs of a family that change the result of some call. A wrong bound that is never reached, for example,
 * changes no result. Each bug is tested once, at first use, in the smallest repository that contains it.
 */
export function makeBugs(python: Programs["python"]): Bugs {
  const known = knownBugs.get(python) ?? new Map<string, readonly Bug[]>();
  knownBugs.set(python, known);
  return (repo, hops, family) => {
    const key = `${repo} ${hops} ${family}`;
    const found = known.get(key) ?? findBugs(python, repo, { hops, family });
    known.set(key, found);
    return found;
  };
}

/** Caches bugs across specifications, since the bugs do not depend on a specification. */
const knownBugs = new WeakMap<Programs["python"], Map<string, readonly Bug[]>>();

function findBugs(
  python: Programs["python"],
  repo: string,
  { hops, family }: { hops: number; family: Mutation["family"] },
): readonly Bug[] {
  const library = libraries[repo];
  if (library === undefined) return [];
  const candidates = chainsOf(library, hops).flatMap((chain) => {
    const [source] = chain;
    const mutations = source ? mutationsOf(source, family) : [];
    return mutations.flatMap((mutation, mutationIndex) => {
      const rng = split("observable", repo, family, mutation.line);
      const draft = draftTask(smallest, { library, chain, mutation, rng, isWanted: () => true });
      return draft === undefined ? [] : [{ draft, bug: { library, chain, mutationIndex } }];
    });
  });
  const results = runProbes(
    python,
    candidates.map(({ draft }) => draft.probe),
  );
  return candidates.flatMap(({ draft, bug }, i) => (draft.finish(results[i]) === undefined ? [] : [bug]));
}

const smallest = { files: 1, functionsPerFile: 1, issueStyle: "vague", renamedPercent: 0 } as const;

/** Returns every chain of `hops` + 1 functions in which each function is called by the next one. */
function chainsOf({ functions }: Library, hops: number): readonly Chain[] {
  const climb = (chain: Chain): readonly Chain[] => {
    if (chain.length > hops) return [chain];
    const top = chain.at(-1)?.name ?? "";
    return functions.filter(({ calls }) => calls.includes(top)).flatMap((caller) => climb([...chain, caller]));
  };
  return functions.flatMap((source) => climb([source]));
}
