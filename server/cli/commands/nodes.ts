import type { Command } from "@commander-js/extra-typings";
import type { Database } from "#server/db/client.ts";
import type { NodeRow } from "#server/db/nodes.ts";
import { formatBytes } from "#server/domain/formatBytes.ts";
import { describeDisk } from "#server/domain/nodes/disk.ts";
import { listProviders } from "#server/domain/nodes/providers.ts";
import { listSlots } from "#server/domain/nodes/slots.ts";
import type { Outcome, Screen } from "../outcome.ts";
import type { Performer } from "../performer.ts";
import { type TextCell, toColumns } from "../views/columns.ts";

export function addNodes(program: Command, { performInStudio }: Performer): void {
  program
    .command("nodes")
    .description("list the nodes: slots in use, last contact")
    .action(() => performInStudio(({ database }, screen) => listNodes(database, screen)));
}

const columns = [
  { header: "NODE" },
  { header: "KIND" },
  { header: "SLOTS", align: "right" },
  { header: "DISK FREE", align: "right" },
  { header: "COMPUTES WITH" },
  { header: "GPUS" },
  { header: "LABELS" },
  { header: "LAST CONTACT" },
  { header: "STATE" },
] as const;

async function listNodes(database: Database, screen: Screen): Promise<Outcome> {
  const { readNodes } = await import("#server/db/nodes.ts");
  const nodes = await readNodes(database);
  const rows = nodes.map((row): TextCell[] => {
    const { node, leases, lastContactAt } = row;
    const used = leases.reduce((sum, { devices }) => sum + devices.length, 0);
    return [
      { text: node.name },
      { text: node.kind },
      { text: `${used}/${listSlots(node.slots).length}` },
      { text: row.disk === null ? "" : formatBytes(row.disk.freeBytes) },
      { text: computesWith(row) },
      { text: namesOfGpus(row) },
      { text: node.labels.join(" ") },
      { text: lastContactAt?.toISOString().slice(0, 19).replace("T", " ") ?? "never" },
      stateOf(row),
    ];
  });
  const text = rows.length > 0 ? toColumns(columns, rows, screen) : "No node seen yet: npm start";
  return { text, json: { nodes }, exitCode: 0 };
}

function computesWith({ node, machines }: NodeRow): string {
  if (machines.length === 0) return "";
  const works = listProviders([{ node, machines }]).filter(({ nodes }) => nodes.length > 0);
  return works.map(({ provider }) => provider).join(" ");
}

/** "2 × NVIDIA H200" */
function namesOfGpus({ gpus, machines }: NodeRow): string {
  const numByName = new Map<string, number>();
  for (const { name } of gpus ?? machines.flatMap((machine) => machine.gpus)) {
    numByName.set(name, (numByName.get(name) ?? 0) + 1);
  }
  return [...numByName].map(([name, num]) => (num === 1 ? name : `${num} × ${name}`)).join(", ");
}

function stateOf({ isConfigured, problem, disk }: NodeRow): TextCell {
  if (!isConfigured) return { text: "no longer configured", style: "yellow" };
  if (problem === null && disk?.isFull === true) return { text: describeDisk(disk), style: "red" };
  return problem === null ? { text: "answers", style: "green" } : { text: problem, style: "red" };
}
