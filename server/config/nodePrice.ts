import { statSync } from "node:fs";
import { stringify } from "yaml";
import { z } from "zod";
import { badInput } from "#packages/base";
import { type Node, NodesFile, pricePerSlotHour } from "#server/domain/fleet/nodes/node.ts";
import { readDocument } from "./channelForm.ts";
import { nodesFile, readNodes } from "./nodes.ts";

/** Schema of a price in the form of the page Cost; null: the price is unknown. */
export const PriceForm = z.strictObject({ name: z.string().max(200), price: pricePerSlotHour.nullable() });
export type PriceForm = z.infer<typeof PriceForm>;

/**
 * Sets the price of a node in the text of the nodes file; comments and all other settings stay. Throws `bad_input`.
 * `nodes`: what an absent file stands for.
 */
export function putPrice(text: string, { name, price }: PriceForm, nodes: readonly Node[]): string {
  const document = readDocument(text === "" ? stringify({ nodes: nodes.map(writeNode) }) : text, "the nodes file");
  const file = NodesFile.safeParse(document.toJS({ maxAliasCount: 100 }));
  const index = file.data?.nodes.findIndex((node) => node.name === name) ?? -1;
  if (!file.success || index < 0) {
    throw badInput([
      { path: "name", message: file.success ? `the nodes file has no node “${name}”` : file.error.message },
    ]);
  }
  if (price === null) document.deleteIn(["nodes", index, "pricePerSlotHour"]);
  else document.setIn(["nodes", index, "pricePerSlotHour"], price);
  return document.toString({ lineWidth: 0 });
}

/** Returns the settings of a node that a file must state; only this machine is a node without a file. */
function writeNode({ kind, name, slots }: Node) {
  return { kind, name, slots };
}

/** Makes a function that gives a node its current price; the file is read again only after a change of it. */
export function makePricing(home: string): (node: Node) => Node {
  let [changedMs, prices] = [Number.NaN, new Map<string, number | undefined>()];
  return (node) => {
    const nowMs = statSync(nodesFile(home), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (nowMs !== changedMs) {
      changedMs = nowMs;
      prices = readPrices(home) ?? prices;
    }
    const { pricePerSlotHour: first, ...rest } = node;
    const price = prices.has(node.name) ? prices.get(node.name) : first;
    return price === undefined ? rest : { ...rest, pricePerSlotHour: price };
  };
}

/** Returns undefined for a file that is not valid at the moment, for example while somebody writes it. */
function readPrices(home: string): Map<string, number | undefined> | undefined {
  try {
    return new Map(readNodes(home).map(({ name, pricePerSlotHour: price }) => [name, price]));
  } catch {
    return undefined;
  }
}
