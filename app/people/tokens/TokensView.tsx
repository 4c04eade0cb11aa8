"use client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useState } from "react";
import type { AppRouter } from "#server/api/root.ts";
import type { Role, Scope } from "#server/domain/people/access.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Checkbox, Form } from "#app/_ui/Input.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { ShownOnce } from "#app/_components/ShownOnce.tsx";
import { AgoCell } from "#app/_components/Ago.tsx";
import { ActionsHead, Cell, Head, Table } from "#app/_ui/Table.tsx";

/** Scopes that a person of each role may give a token, with their labels. */
const scopesOf: Record<Role, readonly { scope: Scope; label: string }[]> = (() => {
  const view = [{ scope: "read", label: "read everything" }] as const;
  const edit = [
    ...view,
    { scope: "track", label: "send runs" },
    { scope: "write", label: "change and launch" },
  ] as const;
  return { viewer: view, editor: edit, administrator: [...edit, { scope: "administer", label: "administer" }] };
})();

/** Page with the reader's API tokens; administrators see the tokens of all people. */
export function TokensView({ role }: { role: Role }) {
  const trpc = useTrpc();
  const isAdministrator = role === "administrator";
  const { data: own } = useSuspenseQuery(trpc.people.tokens.queryOptions());
  const { data: all } = useQuery(trpc.people.allTokens.queryOptions(undefined, { enabled: isAdministrator }));
  const tokens = isAdministrator ? (all ?? own) : own;
  return (
    <>
      <PageHead title="Tokens">
        A program sends a token instead of a password. Give each program its own token, with only the permissions that
        the program needs.
      </PageHead>
      <Card title="New token">
        <NewToken role={role} />
      </Card>
      {tokens.length > 0 ? (
        <TokenTable tokens={tokens} isAdministrator={isAdministrator} />
      ) : (
        <p className="mt-4 text-sm text-muted">No tokens yet.</p>
      )}
    </>
  );
}

function NewToken({ role }: { role: Role }) {
  const trpc = useTrpc();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [text, setText] = useState<string>();
  const create = useAction(trpc.people.createToken.mutationOptions(), {
    stale: [trpc.people.pathFilter()],
    onDone: (made) => {
      setText(made.text);
      setName("");
    },
  });
  return (
    <>
      <Form
        className="flex flex-wrap items-end gap-x-4 gap-y-3"
        onSubmit={() => create.mutate({ name, scopes: [...scopes] })}
      >
        <TextField
          label="Name of the program"
          className="min-w-0 grow sm:max-w-60"
          required
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
        <ScopeBoxes role={role} scopes={scopes} onChange={setScopes} />
        <Button type="submit" disabled={create.isPending || scopes.length === 0}>
          Create token
        </Button>
      </Form>
      {text !== undefined && (
        <ShownOnce text={text} label="New token">
          Copy the token now: the studio does not show it again. The program reads the token from the variable{" "}
          <code>ARLARENA_TOKEN</code> or, as an MLflow client, <code>MLFLOW_TRACKING_TOKEN</code>.
        </ShownOnce>
      )}
    </>
  );
}

type BoxesProps = { role: Role; scopes: readonly Scope[]; onChange: (scopes: readonly Scope[]) => void };

function ScopeBoxes({ role, scopes, onChange }: BoxesProps) {
  return (
    <fieldset>
      <legend className="sr-only">Permissions</legend>
      {/* The height is set on the row: set on the fieldset, it would leave the checkboxes at the top. */}
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
        {scopesOf[role].map(({ scope, label }) => (
          <Checkbox
            key={scope}
            checked={scopes.includes(scope)}
            label={label}
            onChange={({ target }) =>
              onChange(target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

type Token = inferRouterOutputs<AppRouter>["people"]["tokens"][number];

function TokenTable({ tokens, isAdministrator }: { tokens: readonly Token[]; isAdministrator: boolean }) {
  const trpc = useTrpc();
  const effects = { stale: [trpc.people.pathFilter()], toast: "Token ended" };
  const revokeOwn = useAction(trpc.people.revokeTokens.mutationOptions(), effects);
  const revokeAny = useAction(trpc.people.revokeTokensOf.mutationOptions(), effects);
  const revoke = ({ name, personId }: Token) =>
    isAdministrator ? revokeAny.mutate({ name, personId }) : revokeOwn.mutate({ name });
  return (
    <div className="mt-4">
      <Table caption="Valid tokens, oldest first">
        <Head
          cells={[
            "Token",
            isAdministrator && "Owner",
            "Permissions",
            "Last used",
            "Expires",
            <ActionsHead key="actions" />,
          ]}
        />
        <tbody>
          {tokens.map((token) => (
            <tr key={`${token.name} ${token.createdAt.getTime()}`}>
              <Cell className="font-medium">{token.name}</Cell>
              {isAdministrator && <Cell>{token.personName ?? "the installation"}</Cell>}
              <Cell>{token.scopes.join(", ")}</Cell>
              <AgoCell at={token.lastUsedAt} />
              <Cell className="whitespace-nowrap text-muted">
                {token.expiresAt ? token.expiresAt.toISOString().slice(0, 10) : "never"}
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
