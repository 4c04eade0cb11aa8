"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Ago } from "#app/_components/Ago.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { ActionsHead, Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

/** Read-only links that are still valid. */
export function LinksCard({ canEnd }: { canEnd: boolean }) {
  const trpc = useTrpc();
  const { data: links } = useSuspenseQuery(trpc.link.list.queryOptions());
  const end = useAction(trpc.link.end.mutationOptions(), {
    stale: [trpc.link.list.queryFilter()],
    toast: "Link ended",
  });
  return (
    <Card title="Shared links">
      {links.length === 0 ? (
        <p className="text-muted">
          None yet. The button Share of a sweep, report, table or run selection creates one: everybody with the link can
          read it without signing in.
        </p>
      ) : (
        <Table caption="Shared links, newest first">
          <thead>
            <tr>
              <HeadCell>Shows</HeadCell>
              <HeadCell>Made by</HeadCell>
              <HeadCell>Last used</HeadCell>
              <HeadCell>Ends</HeadCell>
              {canEnd && <ActionsHead />}
            </tr>
          </thead>
          <tbody>
            {links.map(({ id, shows, createdBy, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <Cell className="min-w-40 break-words">{shows}</Cell>
                <Cell>{createdBy}</Cell>
                <Cell className="whitespace-nowrap text-muted">
                  <Ago at={lastUsedAt} />
                </Cell>
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
    </Card>
  );
}
