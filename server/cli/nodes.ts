import type { Database } from "#server/db/client.ts";
import { type NodeRow, readNodes, setPriority } from "#server/db/nodes.ts";
import { sayBytes, sayDisk } from "#server/domain/nodes/disk.ts";
import { listSlots } from "#server/domain/nodes/slots.ts";
import { type TextCell, toColumns } from "./columns.ts";
import { findSweep } from "./findSweep.ts";
import type { Outcome, Screen } from "./outcome.ts";
import { formatCount } from "#server/domain/words.ts";

/** Where runs go: every node with its slots in use and whether it answers. */
export async function listNodes(database: Database, screen: Screen): Promise<Outcome> {
  const nodes = await readNodes(database);
  const columns = [
    { header: "NODE" },
    { header: "KIND" },
    { header: "SLOTS", align: "right" },
    { header: "DISK FREE", align: "right" },
    { header: "LABELS" },
    { header: "LAST CONTACT" },
    { header: "STATE" },
  ] as const;
  const rows = nodes.map((row): TextCell[] => {
    const { node, leases, lastContactAt } = row;
    const used = leases.reduce((sum, { devices }) => sum + devices.length, 0);
    return [
      { text: node.name },
      { text: node.kind },
      { text: `${used}/${listSlots(node.slots).length}` },
      { text: row.disk === null ? "" : sayBytes(row.disk.freeBytes) },
      { text: node.labels.join(" ") },
      { text: lastContactAt?.toISOString().slice(0, 19).replace("T", " ") ?? "never" },
      stateOf(row),
    ];
  });
  const text = rows.length > 0 ? toColumns(columns, rows, screen) : "No node seen yet: npm start";
  return { text, json: { nodes }, exitCode: 0 };
}

function stateOf({ isConfigured, problem, disk }: NodeRow): TextCell {
  if (!isConfigured) return { text: "no longer configured", style: "yellow" };
  if (problem === null && disk?.isFull === true) return { text: sayDisk(disk), style: "red" };
  return problem === null ? { text: "answers", style: "green" } : { text: problem, style: "red" };
}

/** Moves a sweep's turn: so many minutes from its launch, or before everybody else's. */
export async function prioritise(database: Database, said: string, priority: number | "front"): Promise<Outcome> {
  const { id } = await findSweep(database, said);
  const minutes = await setPriority(database, id, priority);
  const size = formatCount(Math.abs(minutes), "minute");
  const how = minutes === 0 ? "at the time of its launch" : `${size} ${minutes > 0 ? "before" : "after"} its launch`;
  return { text: `Sweep ${id} queues as of ${how}`, json: { sweep: id, priorityMinutes: minutes }, exitCode: 0 };
}
