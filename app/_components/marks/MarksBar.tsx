"use client";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";

const MarksDialog = dynamic(() => import("./MarksDialog.tsx").then((module) => module.MarksDialog), { ssr: false });

type Props = { kind: "run" | "sweep"; id: string };

export function MarksBar(props: Props) {
  return (
    <div className="mb-3">
      <MarkButtons {...props} />
      <MarkNote {...props} />
    </div>
  );
}

export function MarkNote({ kind, id }: Props) {
  const trpc = useTrpc();
  const { data: marks } = useQuery(trpc.marks.of.queryOptions({ kind, id }));
  return marks && marks.noteHtml !== "" && <Markdown html={marks.noteHtml} className="mt-1" />;
}

export function MarkButtons({ kind, id }: Props) {
  const trpc = useTrpc();
  const [isEditing, setEditing] = useState(false);
  const { data: marks } = useQuery(trpc.marks.of.queryOptions({ kind, id }));
  const write = useAction(trpc.marks.write.mutationOptions(), {
    stale: [trpc.marks.pathFilter(), trpc.sweep.pathFilter(), trpc.runTable.pathFilter(), trpc.palette.pathFilter()],
  });
  if (!marks) return <div className="min-h-8" />;
  const { tags, noteHtml, isFavourite, isArchived } = marks;
  return (
    <>
      <div className="flex min-h-8 flex-wrap items-center gap-1.5">
        <ActionButton
          kind="quiet"
          className="-ml-2 px-2"
          aria-pressed={isFavourite}
          aria-label="Favourite"
          title={
            isFavourite ? "Remove from the favourites" : `Mark this ${kind} as a favourite: favourites are listed first`
          }
          onClick={() => write.mutate({ kind, id, isFavourite: !isFavourite })}
        >
          <Icon name="star" className={classes("size-4", isFavourite && "fill-warn text-warn")} />
        </ActionButton>
        {isArchived && (
          <StatusPill tone="neutral" icon="archive">
            Archived
          </StatusPill>
        )}
        {tags.map((tag) => (
          <span key={tag} className="rounded-full border border-edge/60 px-2 py-px text-xs">
            {tag}
          </span>
        ))}
        <ActionButton kind="quiet" className="px-2" onClick={() => setEditing(true)}>
          {tags.length > 0 || noteHtml !== "" ? "Tags and note" : "Add tags or a note"}
        </ActionButton>
        <ActionButton kind="quiet" className="px-2" onClick={() => write.mutate({ kind, id, isArchived: !isArchived })}>
          {isArchived ? "Unarchive" : "Archive"}
        </ActionButton>
      </div>
      {isEditing && <MarksDialog kind={kind} id={id} marks={marks} onClose={() => setEditing(false)} />}
    </>
  );
}

/** Shows Markdown as HTML that the server rendered (`renderMarkdown`); the server escapes the author's own HTML. */
function Markdown({ html, className }: { html: string; className?: string }) {
  return <div className={classes("prose", className)} dangerouslySetInnerHTML={{ __html: html }} />;
}
