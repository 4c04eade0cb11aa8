import type { Metadata } from "next";
import { questions } from "#server/domain/analysis/questions.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { SurvivalView } from "./SurvivalView.tsx";

export const metadata: Metadata = { title: questions.survival.title };

export default makeStudiedPage({
  question: "survival",
  empty: "How long runs train before they collapse appears here, by method.",
  View: SurvivalView,
});
