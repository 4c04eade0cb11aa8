import type { Relative } from "#server/db/plan/origins.ts";

export type FamilyNode = {
  id: string;
  name: string;
  /** The run's state and, if it started from another run, the iteration of that run. */
  note: string;
  /** False if the run was deleted; runs that branched from it still name it. */
  isKnown: boolean;
  children: FamilyNode[];
};

const maxChildren = 12;

/** Arranges runs as a tree; beyond `maxChildren`, branches other than the current run's line are only counted. */
export function prepareFamily(relatives: readonly Relative[], current: string) {
  const byId = new Map(relatives.map((one) => [one.id, one]));
  const line = new Set<string>();
  for (let id: string | null | undefined = current; id && !line.has(id); id = byId.get(id)?.from) line.add(id);
  let numHidden = 0;
  const nodeOf = (one: Relative): FamilyNode => {
    const all = relatives.filter(({ from }) => from === one.id);
    const shown = all.filter(({ id }, i) => i < maxChildren || line.has(id));
    numHidden += all.length - shown.length;
    return { id: one.id, name: nameOf(one), note: noteOf(one), isKnown: true, children: shown.map(nodeOf) };
  };
  const roots = relatives
    .filter(({ from }) => from === null || !byId.has(from))
    .map((one): FamilyNode => {
      const node = nodeOf(one);
      if (one.from === null) return node;
      return { id: one.from, name: one.from, note: "deleted", isKnown: false, children: [node] };
    });
  return { roots, numHidden };
}

function nameOf({ method, label, seed, kind, sweepName }: Relative): string {
  const name = `${[method, label].filter(Boolean).join(" · ")}, ${kind === "branch" ? "continuation" : "seed"} ${seed}`;
  return kind === null ? `${sweepName}: ${name}` : name;
}

function noteOf({ kind, iteration, status }: Relative): string {
  if (kind === null || iteration === null) return status;
  return kind === "branch"
    ? `after iteration ${iteration} · ${status}`
    : `with the policy after iteration ${iteration} · ${status}`;
}
