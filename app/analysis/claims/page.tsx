import type { Metadata } from "next";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { ClaimsView } from "./ClaimsView.tsx";

export const metadata: Metadata = { title: "Claims of the papers" };

export default makeStudiedPage({
  question: "claims",
  title: "Claims of the papers",
  empty: "The claims of the papers are tested here on the runs of your sweeps.",
  View: ClaimsView,
});
