"use client";
import { useQuery } from "@tanstack/react-query";
import type { OfferedTrainer } from "#packages/trainers";
import { Card } from "#app/_ui/Card.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { formatCount } from "#packages/base";
import type { Draft } from "../draft/draft.ts";
import type { FieldIssue } from "../draft/levels.ts";
import { TrainerOption } from "./TrainerOption.tsx";

type Props = { draft: Draft; edit: (draft: Draft) => void; issues: readonly FieldIssue[] };

/** Choice of the trainer: the built-in one, or one from the administrator's file with its options. */
export function TrainerSection({ draft, edit, issues }: Props) {
  const trpc = useTrpc();
  const { data: offered = [], error, isPending } = useQuery(trpc.sweep.trainers.queryOptions());
  const { trainer } = draft;
  // Without other trainers there is nothing to choose.
  if (!error && offered.length === 0 && trainer === undefined) return null;
  const chosen = offered.find(({ name }) => name === trainer?.name);
  const pick = (name: string) => {
    const { trainer: _, ...rest } = draft;
    edit(name === "" ? rest : { ...rest, trainer: { name, options: {} } });
  };
  const missing =
    trainer && !chosen && !isPending ? [{ value: trainer.name, label: `${trainer.name} (not here)` }] : [];
  const problems = issues.flatMap(({ field, message }) => (field === "trainer" ? [message] : []));
  return (
    <Card title="Trainer">
      {error && <Notice tone="bad">{errorWords(error)}</Notice>}
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
        <Choice
          label="Carried out by"
          labelled="above"
          options={[
            { value: "", label: "The built-in trainer" },
            ...offered.map(({ name, title }) => ({ value: name, label: title })),
            ...missing,
          ]}
          value={trainer?.name ?? ""}
          onChange={pick}
          hint={
            chosen
              ? [sayKind(chosen), ...sayGpus(chosen)].join(" ")
              : "Others stand in the administrator's trainers.yaml."
          }
          error={problems[0]}
        />
        {trainer &&
          Object.entries(chosen?.options ?? {}).map(([name, option]) => (
            <TrainerOption
              key={name}
              name={name}
              option={option}
              value={trainer.options[name]}
              onChange={(value) => {
                const { [name]: _, ...others } = trainer.options;
                const options = value === undefined ? others : { ...others, [name]: value };
                edit({ ...draft, trainer: { ...trainer, options } });
              }}
            />
          ))}
      </div>
    </Card>
  );
}

function sayKind({ kind }: OfferedTrainer): string {
  switch (kind) {
    case "verl":
      return "Settings become overrides of verl's configuration; what it cannot carry is refused.";
    case "trl":
      return "Settings become arguments of TRL's GRPOConfig; what it cannot carry is refused.";
    case "areal":
      return "Settings become overrides of AReaL's configuration; what it cannot carry is refused.";
    case "primeRl":
      return "Settings become arguments of prime-rl; what it cannot carry is refused.";
    case "command":
      return "Settings go where its command names them.";
  }
}

function sayGpus({ gpus }: OfferedTrainer): string[] {
  return gpus === null ? [] : [`A run reserves ${formatCount(gpus, "GPU")} of one machine.`];
}
