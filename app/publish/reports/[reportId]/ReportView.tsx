"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { PageHead } from "#app/_components/PageHead.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ReportActions } from "./ReportActions.tsx";
import { ReportHtml } from "#app/_components/ReportHtml.tsx";

const ReportEditor = dynamic(() => import("./_editor/ReportEditor.tsx").then((module) => module.ReportEditor), {
  ssr: false,
  loading: () => <Skeleton className="h-96" />,
});

const editPart = choicePart("edit", ["off", "on"], "off");

/** A report as rendered or, by the address, its editor. */
export function ReportView({ id }: { id: string }) {
  const trpc = useTrpc();
  const [edit, setEdit] = useAddress(editPart);
  const { data: report } = useSuspenseQuery(trpc.report.byId.queryOptions({ id }, { refetchOnWindowFocus: false }));
  const isEditing = edit === "on";
  return (
    <>
      <PageHead
        title={report.title}
        actions={
          <ReportActions report={report} isEditing={isEditing} onEdit={() => setEdit(isEditing ? "off" : "on")} />
        }
      >
        {report.frozenAt
          ? `Figures frozen at ${formatMoment(report.frozenAt)}.`
          : "Live: figures show the stored results."}
      </PageHead>
      {isEditing ? <ReportEditor report={report} /> : <Shown id={id} isFrozen={report.frozenAt !== null} />}
    </>
  );
}

function Shown({ id, isFrozen }: { id: string; isFrozen: boolean }) {
  const trpc = useTrpc();
  const refetchInterval = isFrozen ? (false as const) : 60_000;
  const query = useQuery(trpc.report.shown.queryOptions({ id }, { refetchInterval, ...stoppable }));
  const { data } = query;
  if (!data) return <Analysing name="shownReport" input={{ id }} query={query} className="h-96" />;
  if (data.html === "") return <p className="text-muted">This report is empty.</p>;
  return <ReportHtml html={data.html} />;
}

/** UTC, the same on the server and in the browser, whose time zones differ. */
function formatMoment(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
