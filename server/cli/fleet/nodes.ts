import { sayStart } from "#server/config/startCommand.ts";
import type { Command } from "@commander-js/extra-typings";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, formatBytes } from "#packages/base";
import type { CheckItem } from "#server/domain/fleet/nodes/check.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { NodeRow } from "#server/db/fleet/nodes.ts";
import { describeDisk } from "#server/domain/fleet/nodes/machine.ts";
import { listProviders } from "#server/domain/fleet/nodes/providers.ts";
import { listSlots } from "#server/domain/fleet/nodes/slots.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { type StyledText, toColumns, toPlain } from "../views/columns.ts";

export function addNodes(program: Command, { performInStudio }: Performer): void {
  const nodes = program
    .command("nodes")
    .description("list the nodes with their used slots and last contact")
    .action(() => performInStudio(({ database }, screen) => listNodes(database, screen)));
  nodes
    .command("check")
    .description("run a small job on a node (default: all nodes) and report what a run would find there")
    .argument("[node]", "name of a node")
    .action((name) => performInStudio(({ database }, screen) => checkNodes(database, name, screen)));
}

const numbers = [{ number: "SLOTS" }, { number: "DISK FREE" }];
const columns = ["NODE", "KIND", ...numbers, "COMPUTES WITH", "GPUS", "LABELS", "LAST CONTACT", "STATE"];

async function listNodes(database: Database, screen: Screen): Promise<Outcome> {
  const { readNodes } = await import("#server/db/fleet/nodes.ts");
  const nodes = await readNodes(database);
  const rows = nodes.map((row) => {
    const { node, leases, lastContactAt } = row;
    const used = leases.reduce((sum, { devices }) => sum + devices.length, 0);
    return [
      node.name,
      node.kind,
      `${used}/${listSlots(node.slots).length}`,
      row.disk === null ? "" : formatBytes(row.disk.freeBytes),
      computesWith(row),
      namesOfGpus(row),
      node.labels.join(" "),
      lastContactAt?.toISOString().slice(0, 19).replace("T", " ") ?? "never",
      stateOf(row),
    ];
  });
  const text = rows.length > 0 ? toColumns(columns, rows, screen) : `No node seen yet. Start the studio: ${sayStart()}`;
  return { text, json: { nodes }, exitCode: 0 };
}

function computesWith({ node, machines }: NodeRow): string {
  if (machines.length === 0) return "";
  const works = listProviders([{ node, machines }]).filter(({ nodes }) => nodes.length > 0);
  return works.map(({ provider }) => provider).join(" ");
}

/** Returns a description of a node's GPUs, such as "2 × NVIDIA H200". */
function namesOfGpus({ gpus, machines }: NodeRow): string {
  const numByName = new Map<string, number>();
  for (const { name } of gpus ?? machines.flatMap((machine) => machine.gpus)) {
    numByName.set(name, (numByName.get(name) ?? 0) + 1);
  }
  return [...numByName].map(([name, num]) => (num === 1 ? name : `${num} × ${name}`)).join(", ");
}

function stateOf({ isConfigured, problem, disk }: NodeRow): StyledText {
  if (!isConfigured) return { text: "no longer configured", style: "yellow" };
  if (problem === null && disk?.isFull === true) return { text: describeDisk(disk), style: "red" };
  return problem === null ? { text: "answers", style: "green" } : { text: problem, style: "red" };
}

const longestMs = 12 * 60_000;

/** Requests checks of compute nodes and waits for the results. Exit code 1 unless every check passed. */
async function checkNodes(database: Database, name: string | undefined, screen: Screen): Promise<Outcome> {
  const { askForChecks, readAskedChecks, readChecks } = await import("#server/db/fleet/nodeChecks.ts");
  const names = await askForChecks(database, name);
  screen.write(`Checking ${names.join(", ")}: a small job on each node, queued behind earlier jobs\n`);
  const endMs = Date.now() + longestMs;
  const isOpen = async () => (await readAskedChecks(database)).some((asked) => names.includes(asked));
  while (await isOpen()) {
    if (Date.now() > endMs)
      throw new AppError("unavailable", `no answer: is the orchestrator running? (${sayStart()})`);
    await sleep(1000);
  }
  const all = await readChecks(database);
  const checks = names.flatMap((one) => {
    const check = all.get(one);
    return check === undefined ? [] : [{ node: one, ...check }];
  });
  const text = checks.map(({ node, items }) => [node, ...items.map(sayItem)].join("\n")).join("\n\n");
  const isFine = checks.every(({ items }) => items.every(({ todo }) => todo === null));
  return { text, json: { checks }, exitCode: isFine ? 0 : 1 };
}

function sayItem({ name, found, todo }: CheckItem): string {
  const line = `  ${todo === null ? "fine " : "to do"}  ${toPlain(name)}: ${toPlain(found)}`;
  return todo === null ? line : `${line}\n         ${todo.split("\n").map(toPlain).join("\n         ")}`;
}
