import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Link } from "#app/_ui/Link.tsx";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { runPage, runTablePage } from "#server/domain/pages.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { quote } from "#server/domain/runs/table/splitWords.ts";
import { originOf } from "#trainer/spec/origin.ts";
import { formatCount } from "#packages/base";
import { prepareFamily, type FamilyNode } from "./prepareFamily.ts";

/** Maximum number of related runs whose tree is open at first; a larger tree would hide the charts below it. */
const maxOpen = 12;

/** Tree of the runs from which this run branched, and that branched from it; renders nothing if there are none. */
export function RunFamily({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const { data: relatives = [] } = useQuery(trpc.run.family.queryOptions({ id: run.id }));
  const origin = isImported(run.spec) ? undefined : originOf(run.spec);
  if (relatives.length < 2 && !origin) return null;
  const { roots, numHidden } = prepareFamily(relatives, run.id);
  return (
    <section aria-label="Branches" className="mb-5">
      <h2 className="mb-2 font-semibold">Branches</h2>
      <details open={relatives.length <= maxOpen} className="overflow-x-auto rounded-md border border-line p-3 text-sm">
        <summary className="text-muted">{formatCount(relatives.length, "run")} including the original run</summary>
        <div className="mt-2">
          <Nodes nodes={roots} current={run.id} />
          {numHidden > 0 && (
            <p className="mt-2 text-muted">
              {formatCount(numHidden, "more run")}:{" "}
              <Link href={runTablePage(`from=${quote(roots[0]?.id ?? run.id)}`)} className="text-accent underline">
                show in the run table
              </Link>
            </p>
          )}
        </div>
      </details>
    </section>
  );
}

function Nodes({ nodes, current }: { nodes: readonly FamilyNode[]; current: string }) {
  return (
    <ul className="space-y-1 [ul_&]:ml-2 [ul_&]:border-l [ul_&]:border-line [ul_&]:pl-4">
      {nodes.map(({ id, name, note, isKnown, children }) => (
        <li key={id}>
          <p className={classes("flex flex-wrap items-baseline gap-x-2 py-0.5", id === current && "font-semibold")}>
            {isKnown && id !== current ? (
              <Link href={runPage(id)} className="text-accent hover:underline">
                {name}
              </Link>
            ) : (
              <span>{name}</span>
            )}
            <span className="font-normal text-muted">{note}</span>
          </p>
          {children.length > 0 && <Nodes nodes={children} current={current} />}
        </li>
      ))}
    </ul>
  );
}
