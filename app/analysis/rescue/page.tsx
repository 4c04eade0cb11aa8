import type { Metadata } from "next";
import { questions } from "#server/domain/analysis/questions.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { RescueView } from "./RescueView.tsx";

export const metadata: Metadata = { title: questions.rescue.title };

export default makeStudiedPage({
  question: "rescue",
  empty: "Changes that would have prevented collapses appear here.",
  study: "rescue",
  defaults: { of: "all" },
  View: RescueView,
});
