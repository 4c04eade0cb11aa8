"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { formatCount } from "#app/_charts/format.ts";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useSweepChanges } from "#app/_components/sweeps/useSweepChanges.ts";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { FirstSweep } from "./FirstSweep.tsx";
import { ImportRuns } from "./ImportRuns.tsx";
import { chooseSweeps } from "./prepareSweep.ts";
import { SweepTable } from "./SweepTable.tsx";

export function SweepList() {
  const trpc = useTrpc();
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  useSweepChanges();
  const [text, write] = useFilter();
  if (sweeps.length === 0) return <FirstSweep />;
  const newSweep = (
    <>
      <ImportRuns />
      <Link href="/sweeps/new" className={buttonClasses("primary")}>
        <Icon name="plus" /> New sweep
      </Link>
    </>
  );
  const chosen = chooseSweeps(sweeps, text);
  return (
    <>
      <PageHead title="Sweeps" actions={newSweep} />
      {(sweeps.length > mostWithoutFilter || text !== "") && (
        <search className="mb-3 flex flex-wrap items-center gap-3">
          <Input
            type="search"
            className="max-w-sm"
            aria-label="Filter sweeps"
            placeholder="Name, method, environment, state"
            value={text}
            onChange={({ target }) => write(target.value)}
          />
          <span className="text-sm text-muted" role="status">
            {text.trim() !== "" && `${chosen.length} of ${formatCount(sweeps.length, "sweep")}`}
          </span>
        </search>
      )}
      {chosen.length > 0 ? (
        <SweepTable sweeps={chosen} />
      ) : (
        <EmptyState
          title="No sweep has all these words"
          actions={<Button onClick={() => write("")}>Show all sweeps</Button>}
        >
          Each word is looked for in a sweep’s name, description, methods, environments and state.
        </EmptyState>
      )}
    </>
  );
}

/** As many as are seen at one look. */
const mostWithoutFilter = 8;

/** The words of the page's address that sweeps are filtered by; they survive a visit to a sweep. */
function useFilter(): [string, (text: string) => void] {
  // The address follows what is typed and not the other way round: it comes back late, and letters would be lost.
  const [text, setText] = useState(useSearchParams().get("filter") ?? "");
  const write = (next: string) => {
    setText(next);
    const written = new URLSearchParams(window.location.search);
    if (next === "") written.delete("filter");
    else written.set("filter", next);
    window.history.replaceState(null, "", written.size === 0 ? "/sweeps" : `/sweeps?${written}`);
  };
  return [text, write];
}
