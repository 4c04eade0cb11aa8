import type { TraceEnding } from "#trainer/spec/trace.ts";
import { type Episode, findTranscripts, type Transcript } from "./groupEpisodes.ts";

/** Node of a flow diagram: an action type in a turn, or an ending. `type` is a letter, an ending or "other". */
export type FlowNode = { turn: number; type: string };
/** Episodes that pass from one node to another, as a share of all, and some transcripts. */
export type FlowLink = { source: number; target: number; share: number; transcripts: readonly Transcript[] };
export type Flow = { numEpisodes: number; nodes: readonly FlowNode[]; links: readonly FlowLink[] };

export type FlowOptions = {
  /** Number of turns that are drawn. */
  depth: number;
  /** Smallest share of the episodes that a node has of its own; others of its turn are joined. */
  threshold: number;
};

/** Key of a node's type that is none of the letters: action types below the threshold, or later turns. */
export const others = "other";
export const later = "later";

/**
 * Follows all episodes through their first turns. An episode that ends goes to a node of its ending beside the next
 * turn; one that continues after the last drawn turn goes to `later`.
 */
export function traceFlow(episodes: readonly Episode[], { depth, threshold }: FlowOptions): Flow {
  const paths = episodes.map(({ letters, ending }) => toPath(letters, ending, depth));
  const numOf = new Map<string, number>();
  for (const key of paths.flat().map(keyOf)) numOf.set(key, (numOf.get(key) ?? 0) + 1);
  const isShown = (node: FlowNode) =>
    node.type.length > 1 || (numOf.get(keyOf(node)) ?? 0) >= threshold * episodes.length;
  const joined = paths.map((path) => path.map((node) => (isShown(node) ? node : { ...node, type: others })));
  const nodes = [...new Map(joined.flat().map((node) => [keyOf(node), node])).values()].toSorted(
    (a, b) => a.turn - b.turn || (a.type < b.type ? -1 : 1),
  );
  const indexOf = new Map(nodes.map((node, i) => [keyOf(node), i]));
  const links = new Map<string, { source: number; target: number; through: Episode[] }>();
  for (const [k, path] of joined.entries()) {
    for (const [i, node] of path.slice(1).entries()) {
      const source = indexOf.get(keyOf(path[i] ?? node)) ?? 0;
      const target = indexOf.get(keyOf(node)) ?? 0;
      const link = links.get(`${source} ${target}`) ?? { source, target, through: [] };
      link.through.push(...episodes.slice(k, k + 1));
      links.set(`${source} ${target}`, link);
    }
  }
  return {
    numEpisodes: episodes.length,
    nodes,
    links: [...links.values()].map(({ source, target, through }) => {
      const transcripts = findTranscripts(through, () => true);
      return { source, target, share: through.length / episodes.length, transcripts };
    }),
  };
}

function toPath(letters: readonly string[], ending: TraceEnding, depth: number): FlowNode[] {
  const drawn = letters.slice(0, depth).map((type, i) => ({ turn: i + 1, type }));
  const type = letters.length > depth ? later : ending;
  return [...drawn, { turn: drawn.length + 1, type }];
}

const keyOf = ({ turn, type }: FlowNode): string => `${turn} ${type}`;
