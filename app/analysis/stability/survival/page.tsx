import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { SurvivalView } from "./SurvivalView.tsx";

export const metadata: Metadata = { title: "Survival" };

export default makeStudiedPage({
  path: pages.survival,
  title: "Survival",
  empty: "How long runs train before they collapse appears here, by method.",
  View: SurvivalView,
});
