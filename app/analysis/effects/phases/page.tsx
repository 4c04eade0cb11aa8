import type { Metadata } from "next";
import { questions } from "#server/domain/analysis/questions.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { PhasesView } from "./PhasesView.tsx";

export const metadata: Metadata = { title: questions.phases.title };

export default makeStudiedPage({
  question: "phases",
  empty: "Collapse rates over two settings appear here.",
  View: PhasesView,
});
