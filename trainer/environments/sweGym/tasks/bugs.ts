import { split } from "#trainer/spec/rng.ts";
import type { Programs } from "../../programs.ts";
import { runProbes } from "../checking/probe.ts";
import type { Library, LibraryFunction } from "../library/function.ts";
import { libraries } from "../library/repos.ts";
import { mutationsOf, type Mutation } from "../mutation/mutate.ts";
import { draftTask } from "./build.ts";

/** A bug that is visible from outside: the library, the chain of callers that shows it, and its index in the family. */
export type Bug = { readonly library: Library; readonly chain: Chain; readonly mutationIndex: number };
type Chain = readonly LibraryFunction[];

export type Bugs = (repo: string, hops: number, family: Mutation["family"]) => readonly Bug[];

/**
 * Finds the bugs of a family that some call shows. A bound that is never reached, for example, shows in no call. Each
 * bug is run once, in the smallest repository around it, at first use.
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

/** Bugs are cached across specifications, since they do not depend on them. */
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

/** Every function with a caller `hops` calls above it; the function alone where `hops` is 0. */
function chainsOf({ functions }: Library, hops: number): readonly Chain[] {
  const climb = (chain: Chain): readonly Chain[] => {
    if (chain.length > hops) return [chain];
    const top = chain.at(-1)?.name ?? "";
    return functions.filter(({ calls }) => calls.includes(top)).flatMap((caller) => climb([...chain, caller]));
  };
  return functions.flatMap((source) => climb([source]));
}
