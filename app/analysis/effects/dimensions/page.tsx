import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { DimensionsView } from "./DimensionsView.tsx";

export const metadata: Metadata = { title: "Dimensions" };

export default makeStudiedPage({
  path: pages.dimensions,
  title: "Dimensions",
  empty: "The effect of each of the four dimensions of a method appears here.",
  View: DimensionsView,
});
