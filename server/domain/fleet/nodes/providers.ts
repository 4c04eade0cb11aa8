import type { Machine } from "#trainer/spec/machine.ts";
import { type ExecutionProvider, executionProviders } from "#trainer/spec/run.ts";
import type { Node } from "./node.ts";

/** Maps each execution provider (such as CUDA) that does not work on a node to the reason; other providers may work. */
export type Lacks = Partial<Record<ExecutionProvider, string>>;

/**
 * Finds the execution providers that do not work on a compute node, as its machines reported; the CPU always works.
 * One machine suffices for a provider to count as working, because a scheduler assigns machines itself. Without any
 * report, none works on a local or ssh node, and all work on a cluster.
 */
export function lacksOf({ kind }: Pick<Node, "kind">, machines: readonly Machine[]): Lacks {
  const others = executionProviders.filter((provider) => provider !== "cpu");
  if (machines.length === 0) {
    if (kind === "slurm" || kind === "ray") return {};
    return Object.fromEntries(others.map((provider) => [provider, "its execution providers are being probed"]));
  }
  return Object.fromEntries(
    others.flatMap((provider) => {
      const why = machines.map(
        ({ providers, problem }) => providers[provider] ?? (provider in providers ? null : problem),
      );
      const [first] = why;
      return why.includes(null) || first === undefined ? [] : [[provider, first]];
    }),
  );
}

const maxMachines = 50;

/** Merges reports, newest first: a new report replaces the machine's earlier one. A single machine has one entry. */
export function mergeMachines(
  { kind }: Pick<Node, "kind">,
  known: readonly Machine[],
  told: readonly Machine[],
): Machine[] {
  const all = kind === "local" || kind === "ssh" ? told : [...known, ...told];
  const newest = new Map(all.toSorted((a, b) => a.atMs - b.atMs).map((machine) => [machine.host, machine]));
  return [...newest.values()].toSorted((a, b) => b.atMs - a.atMs).slice(0, maxMachines);
}

export function nodesWith<Row extends { node: Node; isConfigured: boolean }>(
  nodes: readonly Row[],
  labels: readonly string[],
): Row[] {
  return nodes.filter(({ node, isConfigured }) => isConfigured && labels.every((label) => node.labels.includes(label)));
}

/** Describes why an execution provider works on no node with these labels; empty if no such node is known. */
export function describeAbsent(
  nodes: readonly { node: Node; machines: readonly Machine[]; isConfigured: boolean }[],
  labels: readonly string[],
): Partial<Record<ExecutionProvider, string>> {
  const absent = listProviders(nodesWith(nodes, labels)).filter(
    ({ nodes, lacks }) => nodes.length === 0 && lacks.length > 0,
  );
  return Object.fromEntries(
    absent.map(({ provider, lacks }) => [provider, lacks.map(({ node, why }) => `${node}: ${why}`).join("; ")]),
  );
}

/** Lists, for each execution provider, the nodes on which it works, and the reasons why it does not on other nodes. */
export function listProviders(
  nodes: readonly { node: Node; machines: readonly Machine[] }[],
): { provider: ExecutionProvider; nodes: string[]; lacks: { node: string; why: string }[] }[] {
  const lacks = nodes.map(({ node, machines }) => ({ name: node.name, lacks: lacksOf(node, machines) }));
  return executionProviders.map((provider) => ({
    provider,
    nodes: lacks.filter((each) => each.lacks[provider] === undefined).map(({ name }) => name),
    lacks: lacks.flatMap((each) => {
      const why = each.lacks[provider];
      return why === undefined ? [] : [{ node: each.name, why }];
    }),
  }));
}
