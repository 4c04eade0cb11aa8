"use client";
import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { useToast } from "#app/_ui/Toast.tsx";
import { SweepChooser } from "#app/_components/sweeps/SweepChooser.tsx";
import { TableView } from "#app/_components/table/TableView.tsx";
import { findProblem, parseAddress, writeAddress, type Change } from "./address.ts";
import { OptionsPanel } from "./OptionsPanel.tsx";
import { Output } from "./Output.tsx";
import { Proof } from "./Proof.tsx";

/** A table for a paper: options beside it, the table itself as its preview, and its text in every format. */
export function BuilderView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const router = useRouter();
  const query = useSearchParams();
  const asked = useMemo(() => parseAddress(new URLSearchParams(query)), [query]);
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  const { data, error, isPlaceholderData } = useQuery(
    trpc.table.built.queryOptions({ sweepIds, ...asked }, { placeholderData: keepPreviousData }),
  );
  const toast = useToast();
  const [isOpen, setIsOpen] = useState(false);
  // A table that cannot be made leaves the choices as they were, or there would be no way back.
  const of = sweepIds.join();
  const [known, setKnown] = useState({ of, data });
  if (data && !isPlaceholderData && known.data !== data) setKnown({ of, data });
  const shown = data ?? (known.of === of ? known.data : undefined);
  // Options are written without a round trip to the server's page; sweeps decide what it prefetches. A second change may
  // come before the first is rendered: each starts from the address as it is now.
  const change = (update: Change) => {
    const now = new URLSearchParams(window.location.search);
    const next = update(parseAddress(now));
    const problem = findProblem(next);
    if (problem) toast(problem, "bad");
    else window.history.replaceState(null, "", `/tables?${writeAddress(now, next)}`);
  };
  const chooseSweeps = (ids: string[]) => {
    // Rows and environments of other sweeps have other names.
    const now = new URLSearchParams(window.location.search);
    const given = parseAddress(now);
    const { baseline: _, without: _rows, withoutEnvironments: _columns, ...options } = given.options;
    const { ours: _ours, ...wording } = given.wording;
    const written = writeAddress(now, { options, wording });
    written.delete("sweep");
    for (const id of ids) written.append("sweep", id);
    router.replace(`/tables?${written}`, { scroll: false });
  };
  return (
    <>
      <PageHead title="Tables" actions={<SweepChooser sweeps={sweeps} chosen={sweepIds} onChange={chooseSweeps} />}>
        {sweeps
          .filter(({ id }) => sweepIds.includes(id))
          .map(({ name }) => name)
          .join(" and ")}
      </PageHead>
      <div className="grid gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <div className="min-w-0">
          {/* A phone shows the table first; beside it there is no room for the options. */}
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
          {error && <Notice tone="bad">{errorWords(error)}</Notice>}
          {data ? (
            <Busy isBusy={isPlaceholderData} className="space-y-4">
              <TableView table={data.table} />
              <Proof hash={data.table.provenance.proof} numOpen={data.numOpen} />
              <Output table={data.table} longCsv={data.longCsv} />
            </Busy>
          ) : (
            !error && <Skeleton className="h-96" />
          )}
        </div>
      </div>
    </>
  );
}
