import type { Metadata } from "next";
import { questions } from "#server/domain/analysis/questions.ts";
import { makeStudiedPage } from "#app/analysis/studiedPage.server.tsx";
import { BehaviourView } from "./BehaviourView.tsx";

export const metadata: Metadata = { title: questions.behaviour.title };

export default makeStudiedPage({
  question: "behaviour",
  empty: "The actions in the episodes of evaluations appear here.",
  View: BehaviourView,
});
