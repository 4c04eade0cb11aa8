"use client";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { runPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { describeDisk, describeProcessor } from "#server/domain/fleet/nodes/machine.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import type { NodeRow } from "#server/db/fleet/nodes.ts";
import { formatPrice } from "#packages/base";
import { formatCount } from "#app/_charts/format.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { useNow } from "#app/_components/useNow.ts";
import { classes } from "#app/_ui/classes.ts";
import { ProgressBar } from "#app/_ui/ProgressBar.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import {
  prepareAbilities,
  prepareNodeState,
  prepareSlots,
  formatGpu,
  formatGpuUse,
  formatKind,
  formatSlot,
  formatUnit,
  type Slot,
} from "./prepareNode.ts";

const maxRuns = 12;

export function NodeCard({ row }: { row: NodeRow }) {
  const { node, leases, gpus, disk, processor, problem, lastContactAt } = row;
  const state = prepareNodeState(row, useNow());
  const slots = prepareSlots(row);
  const numUsed = slots.filter(({ lease }) => lease !== null).length;
  return (
    <li className="rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <h2 className="font-semibold break-all">{node.name}</h2>
        <span className="flex items-center gap-2 text-xs text-muted">
          {lastContactAt && (
            <span>
              last contact <Ago at={lastContactAt} />
            </span>
          )}
          <StatusPill tone={state.tone} icon={state.icon}>
            {state.text}
          </StatusPill>
        </span>
      </div>
      <p className="text-sm break-words text-muted">
        {formatKind(node)}
        {"folder" in node && <> · {node.folder}</>}
        {node.pricePerSlotHour !== undefined && <> · {formatPrice(node.pricePerSlotHour)} per slot-hour</>}
        {node.priority !== 0 && <> · priority {node.priority}</>}
      </p>
      {disk !== null && (
        <p className={classes("text-sm", disk.isFull ? "mt-2 text-bad" : "text-muted")}>{describeDisk(disk)}</p>
      )}
      {processor !== null && <p className="text-sm text-muted">{describeProcessor(processor)}</p>}
      <Abilities abilities={prepareAbilities(row)} />
      {problem !== null && <p className="mt-2 text-sm break-words text-bad">{problem}</p>}
      <p className="mt-3 text-sm">
        <strong className="font-semibold">
          {numUsed} of {slots.length}
        </strong>{" "}
        {formatUnit(node, slots.length)} in use
        {node.labels.map((label) => (
          <span key={label} className="ml-2 rounded bg-sunken px-1.5 py-px text-xs text-muted">
            {label}
          </span>
        ))}
      </p>
      {slots.length > 1 && <Slots node={node} slots={slots} numUsed={numUsed} />}
      <Leases node={node} leases={leases} />
      <Gpus nodeName={node.name} gpus={gpus ?? []} />
      <Check check={row.check} name={node.name} />
    </li>
  );
}

function Abilities({ abilities }: { abilities: ReturnType<typeof prepareAbilities> }) {
  if (abilities === null) return null;
  const { works, lacks, gpus, problem, hasNoGpu } = abilities;
  return (
    <div className="text-sm text-muted">
      <p>
        {works.length > 0 && <>Computes with {works.join(", ")}</>}
        {hasNoGpu && <> · no GPU</>}
      </p>
      {gpus.map((text) => (
        <p key={text} className="break-words">
          {text}
        </p>
      ))}
      {(lacks.length > 0 || problem !== null) && (
        <details className="text-xs">
          <summary>Unavailable: {lacks.map(({ provider }) => provider).join(", ") || "GPUs"}</summary>
          <ul className="mt-1 flex flex-col gap-1 break-words">
            {lacks.map(({ provider, why }) => (
              <li key={provider}>
                {provider}: {why}
              </li>
            ))}
            {problem !== null && <li>{problem}</li>}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Requests a small job on the node, and is busy until its result is newer. */
function CheckButton({ name, checkedMs }: { name: string; checkedMs: number }) {
  const trpc = useTrpc();
  const [before, setBefore] = useState<number>();
  const ask = useAction(trpc.nodes.check.mutationOptions(), { stale: [trpc.nodes.list.queryFilter()] });
  const isBusy = before === checkedMs && !ask.error;
  return (
    <ActionButton
      className="text-xs"
      disabled={isBusy}
      onClick={() => {
        setBefore(checkedMs);
        ask.mutate({ name });
      }}
    >
      {isBusy ? "Checking…" : "Run a test job"}
    </ActionButton>
  );
}

function Check({ check, name }: { check: NodeRow["check"]; name: string }) {
  if (check === null) {
    return (
      <p className="mt-3 flex flex-wrap items-center gap-2 text-xs text-muted">
        Not checked yet. <CheckButton name={name} checkedMs={0} />
      </p>
    );
  }
  const open = check.items.filter(({ todo }) => todo !== null);
  const fine = check.items.filter(({ todo }) => todo === null);
  return (
    <div className="mt-3 text-xs text-muted">
      <p className="flex flex-wrap items-center gap-x-2">
        Checked <Ago at={new Date(check.atMs)} />:{" "}
        {open.length === 0
          ? "all checks passed"
          : `${open.length} of ${formatCount(check.items.length, "check")} failed`}
        <CheckButton name={name} checkedMs={check.atMs} />
      </p>
      <ul className="mt-1 flex flex-col gap-1 break-words">
        {open.map((item) => (
          <li key={item.name} className="text-warn">
            {item.name}: {item.found}. {item.todo}
          </li>
        ))}
      </ul>
      {fine.length > 0 && (
        <details>
          <summary>{formatCount(fine.length, "check")} passed</summary>
          <ul className="mt-1 flex flex-col gap-1 break-words">
            {fine.map((item) => (
              <li key={item.name}>
                {item.name}: {item.found}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Leases({ node, leases }: Pick<NodeRow, "node" | "leases">) {
  if (leases.length === 0) return null;
  return (
    <ul className="mt-3 flex flex-col gap-1 text-sm">
      {leases.slice(0, maxRuns).map(({ runId, sweepName, devices, status, evaluation, createdAt }) => (
        <li key={`${runId} ${devices.join()}`} className="flex flex-wrap items-baseline justify-between gap-x-3">
          <Link href={runPage(runId)} className="break-all hover:underline">
            {runId}
          </Link>
          <span className="text-xs text-muted">
            {sweepName} · {evaluation === null ? status : `evaluation in ${evaluation}`}
            {node.slots.per === "gpu" && <> · GPU {[...new Set(devices)].join(", ")}</>} · started{" "}
            <Ago at={createdAt} />
          </span>
        </li>
      ))}
      {leases.length > maxRuns && <li className="text-xs text-muted">and {leases.length - maxRuns} more</li>}
    </ul>
  );
}

function Gpus({ nodeName, gpus }: { nodeName: string; gpus: NonNullable<NodeRow["gpus"]> }) {
  if (gpus.length === 0) return null;
  return (
    <ul className="mt-3 flex flex-col gap-2 text-xs text-muted">
      {gpus.map((gpu) => (
        <li key={gpu.index}>
          <div className="mb-0.5 flex flex-wrap justify-between gap-x-3">
            <span>{formatGpu(gpu)}</span>
            <span className="tabular-nums">{formatGpuUse(gpu)}</span>
          </div>
          {gpu.utilisation !== null && (
            <ProgressBar
              label={`Use of GPU ${gpu.index} of ${nodeName}`}
              parts={[{ label: "percent", count: Math.round(gpu.utilisation * 100), tone: "accent" }]}
              total={100}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

const maxSquares = 128;

function Slots({ node, slots, numUsed }: { node: Node; slots: readonly Slot[]; numUsed: number }) {
  if (slots.length > maxSquares) {
    const parts = [{ label: "in use", count: numUsed, tone: "accent" as const }];
    return <ProgressBar label={`Slots of ${node.name}`} parts={parts} total={slots.length} />;
  }
  return (
    <ul className="mt-1.5 flex flex-wrap gap-1" aria-label={`Slots of ${node.name}`}>
      {slots.map((slot) => (
        <li key={slot.key} title={formatSlot(node, slot)}>
          <span
            className={classes(
              "block size-4 rounded-sm border",
              slot.lease === null ? "border-edge/60 bg-sunken" : "border-accent bg-accent",
            )}
          />
          <span className="sr-only">{formatSlot(node, slot)}</span>
        </li>
      ))}
    </ul>
  );
}
