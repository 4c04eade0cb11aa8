"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";

/** The hash in the table's comment, and whether its numbers have changed since. */
export function Proof({ hash, numOpen }: { hash: string | undefined; numOpen: number }) {
  if (hash === undefined) {
    return (
      <p className="text-sm text-muted">
        No proof yet: {numOpen === 0 ? "the table has no runs" : `${numOpen} of its runs are still in progress`}. A
        table of ended runs carries a hash of its runs, options, numbers and code.
      </p>
    );
  }
  return <Verify key={hash} hash={hash} />;
}

function Verify({ hash }: { hash: string }) {
  const trpc = useTrpc();
  const [isAsked, setIsAsked] = useState(false);
  const { data, error, isFetching } = useQuery(trpc.table.verify.queryOptions({ hash }, { enabled: isAsked }));
  const command = `npx arlarena table verify ${hash}`;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-muted">Proof</span>
      <code className="rounded bg-sunken px-1.5 py-0.5 break-all">{command}</code>
      <CopyButton text={command} />
      <Button onClick={() => setIsAsked(true)} disabled={isFetching || data !== undefined}>
        {isFetching ? "Computing…" : "Verify now"}
      </Button>
      <span role="status" className={data?.isSame === true ? "text-good" : "text-bad"}>
        {data && (data.isSame ? "The same numbers from the same runs." : "Different numbers today.")}
        {error && errorWords(error)}
      </span>
    </div>
  );
}
