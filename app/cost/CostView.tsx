"use client";
import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { costGroups } from "#server/domain/cost/costs.ts";
import { costGroupTitles } from "#server/domain/cost/format.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy } from "#app/_ui/Busy.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Budgets } from "./Budgets.tsx";
import { Calibrations } from "./Calibrations.tsx";
import { groupPart, periodPart, periods, periodTitles, toInput } from "./costParts.ts";
import { CostTable } from "./CostTable.tsx";

/** The page Cost: slot-hours and money that runs used, lost and still need, and the error of past estimates. */
export function CostView() {
  const trpc = useTrpc();
  const [by, setBy] = useAddress(groupPart);
  const [period, setPeriod] = useAddress(periodPart);
  const { data: costs, isPlaceholderData } = useQuery(
    trpc.cost.table.queryOptions(toInput(by, period), { placeholderData: keepPreviousData, refetchInterval: 10_000 }),
  );
  const { data: budgets } = useSuspenseQuery(trpc.cost.budgets.queryOptions(undefined, { refetchInterval: 30_000 }));
  const { data: basis } = useSuspenseQuery(trpc.cost.basis.queryOptions());
  return (
    <>
      <PageHead
        title="Cost"
        actions={
          <>
            <Choice
              as="buttons"
              label="Group by"
              options={costGroups.map((value) => ({ value, label: costGroupTitles[value] }))}
              value={by}
              onChange={setBy}
            />
            <Choice
              label="Attempts started within"
              options={periods.map((value) => ({ value, label: periodTitles[value] }))}
              value={period}
              onChange={setPeriod}
            />
          </>
        }
      >
        Slot-hours of runs, times the node&rsquo;s price. A slot is a GPU on nodes with one slot per GPU.
      </PageHead>
      <Budgets {...budgets} />
      {costs !== undefined && costs.total.used.cost === null && (
        <div className="mb-4">
          <Notice>
            Some slot-hours have no price: give every node a <code>pricePerSlotHour</code> in <code>nodes.yaml</code>.
          </Notice>
        </div>
      )}
      {costs === undefined || costs.rows.length === 0 ? (
        <EmptyState title="Nothing was used">
          No run was started here in this period. Recorded studies and imported runs have no cost here.
        </EmptyState>
      ) : (
        <Busy isBusy={isPlaceholderData}>
          <CostTable costs={costs} />
        </Busy>
      )}
      <Calibrations calibrations={basis.calibrations} />
    </>
  );
}
