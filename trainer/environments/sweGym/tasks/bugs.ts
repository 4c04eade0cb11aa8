import { split } from "#trainer/spec/rng.ts";
import type { Library, LibraryFunction } from "../library/function.ts";
import { libraries } from "../library/repos.ts";
import { mutationsOf, type Mutation } from "../mutation/mutate.ts";
import { type Draft, draftTask } from "./build.ts";
import hidden from "./hiddenBugs.json" with { type: "json" };

/** A bug that changes the result of a call: its library, the chain of functions up to that call, and its index. */
export type Bug = { readonly library: Library; readonly chain: Chain; readonly mutationIndex: number };
type Chain = readonly LibraryFunction[];

type Candidate = { readonly bug: Bug; readonly draft: Draft };

/** Returns a family's bugs that change the result of some call. A bound that is never reached changes none. */
export function bugsOf(repo: string, hops: number, family: Mutation["family"]): readonly Bug[] {
  const key = keyOf(repo, hops, family);
  const found =
    known.get(key) ?? candidatesOf(repo, hops, family).flatMap(({ bug }, i) => (isHidden(key, i) ? [] : [bug]));
  known.set(key, found);
  return found;
}

/** Caches bugs across specifications, since bugs do not depend on a specification. */
const known = new Map<string, readonly Bug[]>();

export function keyOf(repo: string, hops: number, family: Mutation["family"]): string {
  return `${repo} ${hops} ${family}`;
}

const hiddenIndices: Readonly<Record<string, string>> = hidden;

/** True if execution showed no call whose result the candidate changes. `bugs.test.ts` repeats the execution. */
function isHidden(key: string, index: number): boolean {
  return hiddenIndices[key]?.split(" ").includes(String(index)) ?? false;
}

/** Lists every mutation of every function from which a chain of `hops` calls starts. */
export function candidatesOf(repo: string, hops: number, family: Mutation["family"]): readonly Candidate[] {
  const library = libraries[repo];
  if (library === undefined) return [];
  return chainsOf(library, hops).flatMap((chain) => {
    const [source] = chain;
    const mutations = source ? mutationsOf(source, family) : [];
    return mutations.flatMap((mutation, mutationIndex) => {
      const rng = split("observable", repo, family, mutation.line);
      const draft = draftTask(smallest, { library, chain, mutation, rng, isWanted: () => true });
      return draft === undefined ? [] : [{ draft, bug: { library, chain, mutationIndex } }];
    });
  });
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
