import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { TransferView } from "./TransferView.tsx";

export const metadata: Metadata = { title: "Transfer" };

export default makeStudiedPage({
  path: pages.transfer,
  title: "Transfer",
  empty: "Success in environments that runs were not trained in appears here.",
  study: "transfer",
  View: TransferView,
});
