"use client";
import { Ago } from "#app/_components/Ago.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { ActionsHead, Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

type Token = {
  name: string;
  scopes: readonly string[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  personId: number | null;
  personName: string | null;
};

export function TokenTable({ tokens, isAdministrator }: { tokens: readonly Token[]; isAdministrator: boolean }) {
  const trpc = useTrpc();
  const effects = { stale: [trpc.people.pathFilter()], toast: "Token ended" };
  const revokeOwn = useAction(trpc.people.revokeTokens.mutationOptions(), effects);
  const revokeAny = useAction(trpc.people.revokeTokensOf.mutationOptions(), effects);
  const revoke = ({ name, personId }: Token) =>
    isAdministrator ? revokeAny.mutate({ name, personId }) : revokeOwn.mutate({ name });
  return (
    <div className="mt-4">
      <Table caption="Valid tokens, oldest first">
        <thead>
          <tr>
            <HeadCell>Token</HeadCell>
            {isAdministrator && <HeadCell>Owner</HeadCell>}
            <HeadCell>Scopes</HeadCell>
            <HeadCell>Last used</HeadCell>
            <HeadCell>Ends</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={`${token.name} ${token.createdAt.getTime()}`}>
              <Cell className="font-medium">{token.name}</Cell>
              {isAdministrator && <Cell>{token.personName ?? "the installation"}</Cell>}
              <Cell>{token.scopes.join(", ")}</Cell>
              <Cell className="whitespace-nowrap text-muted">
                <Ago at={token.lastUsedAt} />
              </Cell>
              <Cell className="whitespace-nowrap text-muted">
                {token.expiresAt ? token.expiresAt.toISOString().slice(0, 10) : "when ended here"}
              </Cell>
              <Cell>
                <Button aria-label={`End ${token.name}`} onClick={() => revoke(token)}>
                  End
                </Button>
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}
