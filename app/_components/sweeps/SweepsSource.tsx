"use client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";

/** Files of the figures below say which sweeps they are of. */
export function SweepsSource({ sweepIds, children }: { sweepIds: readonly string[]; children: ReactNode }) {
  const { data: sweeps = [] } = useQuery(useTrpc().sweep.list.queryOptions());
  const names = sweeps.filter(({ id }) => sweepIds.includes(id)).map(({ name }) => name);
  return <FigureSourceProvider names={names}>{children}</FigureSourceProvider>;
}
