import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { RescueView } from "./RescueView.tsx";

export const metadata: Metadata = { title: "Rescue" };

export default makeStudiedPage({
  path: pages.rescue,
  title: "Rescue",
  empty: "Changes that would have prevented collapses appear here.",
  study: "rescue",
  View: RescueView,
});
