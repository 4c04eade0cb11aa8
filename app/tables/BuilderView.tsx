"use client";
import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { PageHead } from "#app/_components/PageHead.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { sweepsPart } from "#app/_ui/address.ts";
import { readQuery, useAddress } from "#app/_ui/useAddress.ts";
import { useToast } from "#app/_ui/Toast.tsx";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import { SweepChooser } from "#app/_components/sweeps/SweepChooser.tsx";
import { TableView } from "#app/_components/table/TableView.tsx";
import { findProblem, parseAddress, writeAddress, type Asked, type Change } from "./address.ts";
import { OptionsPanel } from "./options/OptionsPanel.tsx";
import { Output } from "./Output.tsx";
import { Proof } from "./Proof.tsx";

const askedPart = { parse: parseAddress, write: writeAddress };
/** Rows and environments have other names in other sweeps. */
const tabulatedPart = sweepsPart(["baseline", "without", "no", "ours"]);

/** Builder of a table for a paper: options beside a live preview, and its text in every format. */
export function BuilderView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [asked, setAsked] = useAddress(askedPart);
  const input = { sweepIds, ...asked };
  const query = useQuery(trpc.table.built.queryOptions(input, { placeholderData: keepPreviousData, ...stoppable }));
  const { data, error, isPlaceholderData } = query;
  const toast = useToast();
  const [isOpen, setIsOpen] = useState(false);
  // If a table cannot be built, the options stay, so that the choice can be undone.
  const of = sweepIds.join();
  const [known, setKnown] = useState({ of, data });
  if (data && !isPlaceholderData && known.data !== data) setKnown({ of, data });
  const shown = data ?? (known.of === of ? known.data : undefined);
  // A second change may come before the first is rendered: each starts from the current address.
  const change = (update: Change) => {
    const next = update(parseAddress(readQuery()));
    const problem = findProblem(next);
    if (problem) toast(problem, "bad");
    else setAsked(next);
  };
  return (
    <>
      <Head sweepIds={sweepIds} asked={asked} />
      <div className="grid gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <div className="min-w-0">
          {/* A phone shows the table first and has no room for the options beside it. */}
          <Button className="mb-3 lg:hidden" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? "Hide options" : "Options"}
          </Button>
          <div className={classes(!isOpen && "max-lg:hidden")}>
            <OptionsPanel
              asked={asked}
              metrics={shown?.metrics ?? []}
              choices={shown?.choices}
              baseline={shown?.baseline ?? ""}
              onChange={change}
            />
          </div>
        </div>
        <div className="min-w-0 space-y-4">
          {(!data || error) && <Analysing name="builtTable" input={input} query={query} className="h-96" />}
          {data && (
            <Busy isBusy={isPlaceholderData} className="space-y-4">
              <TableView table={data.table} />
              <Proof hash={data.table.provenance.proof} numOpen={data.numOpen} />
              <Output table={data.table} longCsv={data.longCsv} />
            </Busy>
          )}
        </div>
      </div>
    </>
  );
}

/** Choice of the table's sweeps, and a link to share it read-only. */
function Head({ sweepIds, asked }: { sweepIds: string[]; asked: Asked }) {
  const trpc = useTrpc();
  const [, setSweeps] = useAddress(tabulatedPart);
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  const actions = (
    <>
      <SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={setSweeps} />
      {sweepIds.length > 0 && <ShareButton shared={{ kind: "table", sweepIds, ...asked }} what="this table" />}
    </>
  );
  return (
    <PageHead title="Tables" actions={actions}>
      {sweeps
        .filter(({ id }) => sweepIds.includes(id))
        .map(({ name }) => name)
        .join(" and ")}
    </PageHead>
  );
}
