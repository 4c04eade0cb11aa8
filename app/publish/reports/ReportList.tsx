"use client";
import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { pages, reportPage } from "#server/domain/pages.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { ButtonLink, Link } from "#app/_ui/Link.tsx";
import { useGo } from "#app/_ui/useSelection.ts";
import { AgoCell } from "#app/_components/Ago.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";

export function ReportList() {
  const trpc = useTrpc();
  const go = useGo();
  const { data: reports } = useSuspenseQuery(trpc.report.list.queryOptions());
  const create = useAction(trpc.report.create.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    onDone: ({ id }) => go(`${reportPage(id)}?edit=on`),
  });
  const newReport = (
    <ActionButton
      kind="primary"
      disabled={create.isPending}
      onClick={() => create.mutate({ title: "Untitled report", body: "" })}
    >
      <Icon name="plus" /> New report
    </ActionButton>
  );
  return (
    <>
      <PageHead title="Reports" actions={newReport} />
      {reports.length === 0 ? (
        <EmptyState title="No reports yet" actions={<ButtonLink href={pages.sweeps}>Choose a sweep</ButtonLink>}>
          A report is a text with charts, tables, claims and episodes. Figures are live, or frozen at one moment. You
          can download a report as one HTML file. To start a report, choose <i>Make a report</i> in the menu of a
          sweep’s page.
        </EmptyState>
      ) : (
        <ReportTable reports={reports} />
      )}
    </>
  );
}

type Reports = inferRouterOutputs<AppRouter>["report"]["list"];

function ReportTable({ reports }: { reports: Reports }) {
  return (
    <Table caption="Reports, most recently changed first">
      <Head cells={["Report", "Figures", "Changed"]} />
      <tbody>
        {reports.map(({ id, title, updatedAt, frozenAt }) => (
          <tr key={id} className="relative hover:bg-sunken/60">
            <Cell>
              <Link
                data-item
                href={reportPage(id)}
                className="font-medium after:absolute after:inset-0 hover:underline"
              >
                {title}
              </Link>
            </Cell>
            <Cell className="text-muted">{frozenAt ? "frozen" : "live"}</Cell>
            <AgoCell at={updatedAt} />
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
