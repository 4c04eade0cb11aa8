"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTrpc } from "#app/_trpc/client.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useSweepChanges } from "#app/_components/useSweepChanges.ts";
import { buttonClasses } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { FirstSweep } from "./FirstSweep.tsx";
import { ImportRuns } from "./ImportRuns.tsx";
import { SweepTable } from "./SweepTable.tsx";

export function SweepList() {
  const trpc = useTrpc();
  const { data: sweeps } = useSuspenseQuery(trpc.sweep.list.queryOptions());
  useSweepChanges();
  if (sweeps.length === 0) return <FirstSweep />;
  const newSweep = (
    <>
      <ImportRuns />
      <Link href="/sweeps/new" className={buttonClasses("primary")}>
        <Icon name="plus" /> New sweep
      </Link>
    </>
  );
  return (
    <>
      <PageHead title="Sweeps" actions={newSweep} />
      <SweepTable sweeps={sweeps} />
    </>
  );
}
