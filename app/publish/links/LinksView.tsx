"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { PageHead } from "#app/_components/PageHead.tsx";
import { AgoCell } from "#app/_components/Ago.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { ActionsHead, Cell, Head, Table } from "#app/_ui/Table.tsx";

export function LinksView({ canEnd }: { canEnd: boolean }) {
  const trpc = useTrpc();
  const { data: links } = useSuspenseQuery(trpc.link.list.queryOptions());
  const end = useAction(trpc.link.end.mutationOptions(), {
    stale: [trpc.link.list.queryFilter()],
    toast: "Link ended",
  });
  return (
    <>
      <PageHead title="Shared links">
        Anyone with a shared link can read the linked page without signing in, until the link expires or is ended.
      </PageHead>
      {links.length === 0 ? (
        <EmptyState title="No shared link yet">
          To create a shared link, press <i>Share</i> on an analysis, a report, a table or a selection of runs, or
          choose <i>Share a read-only link</i> in the <b>…</b> menu of a sweep’s page.
        </EmptyState>
      ) : (
        <Table caption="Shared links, newest first">
          <Head cells={["Shared page", "Made by", "Last used", "Expires", canEnd && <ActionsHead key="actions" />]} />
          <tbody>
            {links.map(({ id, shows, createdBy, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <Cell className="min-w-40 break-words">{shows}</Cell>
                <Cell>{createdBy}</Cell>
                <AgoCell at={lastUsedAt} />
                <Cell className="whitespace-nowrap text-muted">{expiresAt.toISOString().slice(0, 10)}</Cell>
                {canEnd && (
                  <Cell>
                    <Button aria-label={`End the link to ${shows}`} onClick={() => end.mutate({ id })}>
                      End
                    </Button>
                  </Cell>
                )}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
