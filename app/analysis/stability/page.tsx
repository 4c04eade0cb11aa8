import type { Metadata } from "next";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { OverviewView } from "./OverviewView.tsx";

export const metadata: Metadata = { title: "Stability" };

export default makeStudiedPage({
  question: "overview",
  title: "Stability",
  empty: "The detector watches every run from its first iteration. Its alarms and warnings appear here.",
  prefetch: ({ trpc, queryClient, waitBriefly }, sweepIds) =>
    waitBriefly(queryClient.prefetchQuery(trpc.stability.runs.queryOptions({ sweepIds }))),
  View: OverviewView,
});
