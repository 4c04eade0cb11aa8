"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { PageHead } from "#app/_components/PageHead.tsx";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { choicePart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { ReportHtml } from "#app/_components/ReportHtml.tsx";
import { pages } from "#server/domain/pages.ts";
import { useGo } from "#app/_ui/useSelection.ts";
import { useState } from "react";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Icon } from "#app/_ui/Icon.tsx";

const ReportEditor = dynamic(() => import("./_editor/ReportEditor.tsx").then((module) => module.ReportEditor), {
  ssr: false,
  loading: () => <Skeleton className="h-96" />,
});

const editPart = choicePart("edit", ["off", "on"], "off");

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
          : "The figures are live: they show the newest stored results."}
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

/** Formats a time in UTC, because the time zones of server and browser differ. */
function formatMoment(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

type Props = {
  report: { id: string; title: string; frozenAt: Date | null };
  isEditing: boolean;
  onEdit: () => void;
};

function ReportActions({ report: { id, title, frozenAt }, isEditing, onEdit }: Props) {
  const trpc = useTrpc();
  const stale = [trpc.report.pathFilter()];
  const freeze = useAction(trpc.report.freeze.mutationOptions(), {
    stale,
    toast: "Report frozen: the figures no longer change",
  });
  const unfreeze = useAction(trpc.report.unfreeze.mutationOptions(), {
    stale,
    toast: "Report unfrozen: the figures show the newest results",
  });
  const isBusy = freeze.isPending || unfreeze.isPending;
  return (
    <>
      <ActionButton kind={isEditing ? "primary" : "plain"} onClick={onEdit}>
        {isEditing ? "Done" : "Edit"}
      </ActionButton>
      {!isEditing && (
        <>
          <ActionButton disabled={isBusy} onClick={() => (frozenAt ? unfreeze : freeze).mutate({ id })}>
            {frozenAt ? "Unfreeze" : "Freeze"}
          </ActionButton>
          <a className={buttonClasses()} href={`/api/reports/${encodeURIComponent(id)}`} download>
            <Icon name="download" /> HTML file
          </a>
          <ShareButton shared={{ kind: "report", reportId: id }} what="this report" />
          <DeleteReport id={id} title={title} />
        </>
      )}
    </>
  );
}

function DeleteReport({ id, title }: { id: string; title: string }) {
  const trpc = useTrpc();
  const go = useGo();
  const [isAsking, setAsking] = useState(false);
  const remove = useAction(trpc.report.delete.mutationOptions(), {
    stale: [trpc.report.list.queryFilter()],
    toast: "Report deleted",
    onDone: () => go(pages.reports),
  });
  return (
    <>
      <ActionButton onClick={() => setAsking(true)}>
        <Icon name="trash" /> Delete
      </ActionButton>
      <Dialog
        open={isAsking}
        title={`Delete ${title}?`}
        onClose={() => setAsking(false)}
        footer={
          <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate({ id })}>
            Delete
          </Button>
        }
      >
        <p>Deletes the text and the frozen figures of this report. The runs in the report stay.</p>
      </Dialog>
    </>
  );
}
