import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { PhasesView } from "./PhasesView.tsx";

export const metadata: Metadata = { title: "Phases" };

export default makeStudiedPage({
  path: pages.phases,
  title: "Phases",
  empty: "Collapse rates over two settings appear here.",
  View: PhasesView,
});
