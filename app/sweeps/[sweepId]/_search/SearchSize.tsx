import { useState } from "react";
import { formatCount } from "#packages/base";
import type { SearchReport } from "#server/api/plan/searches.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { TextField } from "#app/_ui/Field.tsx";

/** Form that sets the search's total number of trials; below the number already begun, no further trial starts. */
export function SearchSize({ sweepId, report }: { sweepId: string; report: SearchReport }) {
  const trpc = useTrpc();
  const [text, setText] = useState("");
  const change = useAction(trpc.sweep.setTrials.mutationOptions(), {
    stale: [trpc.sweep.search.queryFilter({ id: sweepId })],
    toast: (_, { trials }) => describeSize(report, trials),
    onDone: () => setText(""),
  });
  const { trials, problem } = readSize(text);
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (trials !== undefined) change.mutate({ id: sweepId, trials });
      }}
    >
      <TextField
        label="Trials in total"
        className="w-60"
        error={problem}
        hint={
          trials === undefined
            ? "Sets the number of trials of each hyperparameter search in this sweep."
            : describeSize(report, trials)
        }
        inputMode="numeric"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <ActionButton type="submit" className="mt-6" disabled={trials === undefined || change.isPending}>
        Set
      </ActionButton>
    </form>
  );
}

const most = 5000;

export function readSize(text: string): { trials?: number; problem?: string } {
  if (text.trim() === "") return {};
  const trials = Number(text);
  if (Number.isInteger(trials) && trials >= 1 && trials <= most) return { trials };
  return { problem: `"${text.trim()}" is not a whole number from 1 to ${formatCount(most, "trial")}` };
}

export function describeSize({ configurations }: Pick<SearchReport, "configurations">, trials: number): string {
  const more = configurations.map((configuration) => Math.max(0, trials - configuration.trials.length));
  const sum = more.reduce((total, count) => total + count, 0);
  if (sum > 0) return `${formatCount(sum, "more trial")} will start`;
  return "No further trial starts, but running trials finish";
}
