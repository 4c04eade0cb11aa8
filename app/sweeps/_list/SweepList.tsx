"use client";
import { pages } from "#server/domain/pages.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { Link } from "#app/_ui/Link.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { usePacedRefetch } from "#app/_trpc/pacedRefetch.ts";
import { formatCount } from "#app/_charts/format.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { sortPart } from "#app/_ui/sorting.tsx";
import { typedPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ImportRuns } from "./_import/ImportRuns.tsx";
import { chooseSweeps, groupSweeps, sweepOrders } from "./prepareSweep.ts";
import { SweepTable } from "./SweepTable.tsx";
import { useSubscription } from "@trpc/tanstack-react-query";

// Dynamic import: the code is loaded only if the studio has no sweeps.
const FirstSweep = dynamic(() => import("./FirstSweep.tsx").then((module) => module.FirstSweep));

/** URL parameter for the list's filter text, which is kept while the reader visits a sweep's page. */
const filterPart = typedPart("filter");
const orderPart = sortPart(sweepOrders);

export function SweepList() {
  const trpc = useTrpc();
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  useSweepChanges();
  const [text, write] = useAddress(filterPart);
  const [sort, setSort] = useAddress(orderPart);
  if (sweeps.length === 0) return <FirstSweep />;
  const newSweep = (
    <>
      <ImportRuns />
      <Link href={pages.newSweep} className={buttonClasses("primary")}>
        <Icon name="plus" /> New sweep
      </Link>
    </>
  );
  const chosen = chooseSweeps(sweeps, text);
  return (
    <>
      <PageHead title="Sweeps" actions={newSweep} />
      {(sweeps.length > maxWithoutFilter || chosen.length < sweeps.length || text !== "") && (
        <search className="mb-3 flex flex-wrap items-center gap-3">
          <Input
            type="search"
            className="max-w-sm"
            aria-label="Filter sweeps"
            placeholder="Name, method, environment, state"
            value={text}
            onChange={({ target }) => write(target.value)}
          />
          <span className="text-sm text-muted" role="status">
            {chosen.length < sweeps.length && `${chosen.length} of ${formatCount(sweeps.length, "sweep")}`}
          </span>
        </search>
      )}
      {chosen.length > 0 ? (
        <SweepTable groups={groupSweeps(chosen, sort)} areAllOpen={text !== ""} sort={sort} onSort={setSort} />
      ) : (
        <EmptyState title="No sweep matches" actions={<Button onClick={() => write("")}>Show all sweeps</Button>}>
          A sweep matches if its name, description, tags, methods, environments and state contain every word of the
          filter. Archived sweeps are shown only if the filter contains the word <code>archived</code>.
        </EmptyState>
      )}
    </>
  );
}

/** Maximum number of sweeps at which the list has no filter field. */
const maxWithoutFilter = 8;

/** Refetches the queries about sweeps after server events, at most twice a second. */
function useSweepChanges(): void {
  const trpc = useTrpc();
  const refetch = usePacedRefetch(500);
  const onData = () => refetch(trpc.sweep.list.queryFilter(), trpc.sweep.byId.queryFilter());
  useSubscription(trpc.sweep.onChange.subscriptionOptions({}, { onData }));
}
