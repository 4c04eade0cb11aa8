"use client";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";

/** Adds the names of the sweeps to the files exported from the figures below. */
export function SweepsSource({ sweepIds, children }: { sweepIds: readonly string[]; children: ReactNode }) {
  const { data: sweeps = [] } = useQuery(useTrpc().sweep.list.queryOptions());
  const names = sweeps.filter(({ id }) => sweepIds.includes(id)).map(({ name }) => name);
  return <FigureSourceProvider names={names}>{children}</FigureSourceProvider>;
}
