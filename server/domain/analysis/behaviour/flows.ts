import { groupBy } from "#packages/base";
import { type Episode, findTranscripts, type Transcript } from "./groupEpisodes.ts";

/** Node of a flow diagram: an action type in a turn, or an ending. `type` is a letter, an ending or "other". */
export type FlowNode = { turn: number; type: string };
/** Step from a type to the next; `source` and `target` are the numbers of their nodes. */
type FlowStep = { turn: number; from: string; to: string; source: number; target: number };
/** Episodes that take a step, as a share of all, and some transcripts. */
export type FlowLink = FlowStep & { share: number; transcripts: readonly Transcript[] };
export type Flow = { numEpisodes: number; nodes: readonly FlowNode[]; links: readonly FlowLink[] };

/** Number of turns that are drawn, and share of the episodes below which nodes of a turn are joined. */
type Options = { depth: number; threshold: number };

/**
 * Follows all episodes through their first turns. An episode that ends goes to a node of its ending beside the next
 * turn; one that continues after the last drawn turn goes to a node of later turns.
 */
export function traceFlow(episodes: readonly Episode[], { depth, threshold }: Options): Flow {
  const paths = episodes.map(({ letters, ending }) => {
    const types = [...letters.slice(0, depth), letters.length > depth ? "later" : ending];
    return types.map((type, i): FlowNode => ({ turn: i + 1, type }));
  });
  const all = groupBy(paths.flat(), keyOf);
  const isShown = (node: FlowNode) =>
    node.type.length > 1 || (all.get(keyOf(node))?.length ?? 0) >= threshold * episodes.length;
  const joined = paths.map((path) => path.map((node) => (isShown(node) ? node : { ...node, type: "other" })));
  const nodes = [...new Map(joined.flat().map((node) => [keyOf(node), node])).values()].toSorted(
    (a, b) => a.turn - b.turn || (a.type < b.type ? -1 : 1),
  );
  const indexOf = new Map(nodes.map((node, i) => [keyOf(node), i]));
  const links = new Map<string, FlowStep & { through: Episode[] }>();
  for (const [k, path] of joined.entries()) {
    for (const [i, node] of path.slice(1).entries()) {
      const { turn, type: from } = path[i] ?? node;
      const key = `${turn} ${from} ${node.type}`;
      const [source, target] = [indexOf.get(`${turn} ${from}`) ?? 0, indexOf.get(keyOf(node)) ?? 0];
      const link = links.get(key) ?? { turn, from, to: node.type, source, target, through: [] };
      link.through.push(...episodes.slice(k, k + 1));
      links.set(key, link);
    }
  }
  const toLink = ({ through, ...step }: FlowStep & { through: Episode[] }): FlowLink => {
    return { ...step, share: through.length / episodes.length, transcripts: findTranscripts(through, () => true) };
  };
  return { numEpisodes: episodes.length, nodes, links: [...links.values()].map(toLink) };
}

const keyOf = ({ turn, type }: FlowNode): string => `${turn} ${type}`;
