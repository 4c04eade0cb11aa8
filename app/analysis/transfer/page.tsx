import type { Metadata } from "next";
import { questions } from "#server/domain/analysis/questions.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { TransferView } from "./TransferView.tsx";

export const metadata: Metadata = { title: questions.transfer.title };

export default makeStudiedPage({
  question: "transfer",
  empty: "Success in environments that runs were not trained in appears here.",
  study: "transfer",
  View: TransferView,
});
