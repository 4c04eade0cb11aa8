import type { Metadata } from "next";
import { questions } from "#server/domain/analysis/questions.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { DimensionsView } from "./DimensionsView.tsx";

export const metadata: Metadata = { title: questions.dimensions.title };

export default makeStudiedPage({
  question: "dimensions",
  empty: "The effect of each of the four dimensions of a method appears here.",
  View: DimensionsView,
});
