import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { TrainerChoice } from "#trainer/spec/run.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { readIn } from "./draft/sweepFile.ts";
import { Fold, useForm } from "./form.tsx";

const TrainerFields = dynamic(() => import("./TrainerFields.tsx").then((module) => module.TrainerFields));

export function Trainer({ summary }: { summary: string }) {
  const { file } = useForm();
  const trpc = useTrpc();
  const { data: offered = [], error, isPending } = useQuery(trpc.sweep.trainers.queryOptions());
  const { data: trainer } = TrainerChoice.safeParse(readIn(file, ["base", "trainer"]));
  // Without external trainers there is nothing to choose.
  if (!error && offered.length === 0 && trainer === undefined) return null;
  const title = offered.find(({ name }) => name === trainer?.name)?.title;
  return (
    <Fold id="section-trainer" title="Trainer" summary={title ?? summary}>
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      <TrainerFields offered={offered} trainer={trainer} isPending={isPending} />
    </Fold>
  );
}
