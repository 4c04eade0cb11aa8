"use client";
import { useState } from "react";
import { formatCount } from "#packages/base";
import { numberToConfirm } from "#server/domain/plan/sweep/confirmed.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { useAction } from "#app/_trpc/useAction.ts";
import { ActionButton } from "#app/_ui/ActionButton.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Checkbox, TextArea } from "#app/_ui/Input.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = {
  /** Trained runs whose policies are evaluated: single runs, or all ended runs of sweeps. */
  scope: { runIds: string[] } | { sweepIds: string[] };
  open: boolean;
  onClose: () => void;
};

const example = "- { name: larger, environment: { id: sokoban, size: 7 } }";

export function AskElsewhere({ scope, open, onClose }: Props) {
  const trpc = useTrpc();
  const [text, setText] = useState(example);
  const [isBefore, setIsBefore] = useState(true);
  const ask = useAction(trpc.run.evaluate.mutationOptions(), {
    stale: [trpc.run.evaluations.pathFilter(), trpc.analysis.transfer.pathFilter()],
    toast: (ids) => `${formatCount(ids.length, "evaluation")} requested`,
    showsError: true,
    onDone: onClose,
  });
  const asked = { environments: text, iterations: isBefore ? [null, 0] : [null] };
  const numEvaluations = numberToConfirm(ask.error?.data?.issues ?? [], "numEvaluations");
  return (
    <Dialog
      open={open}
      title="Evaluate in other environments"
      onClose={onClose}
      footer={
        <ActionButton
          kind="primary"
          disabled={ask.isPending}
          onClick={() => ask.mutate({ ...scope, ...asked, ...(numEvaluations !== undefined && { numEvaluations }) })}
        >
          {numEvaluations === undefined ? "Evaluate" : `Yes, start ${formatCount(numEvaluations, "evaluation")}`}
        </ActionButton>
      }
    >
      <div className="space-y-3">
        {"sweepIds" in scope && (
          <p className="text-sm">Evaluates all ended runs of {formatCount(scope.sweepIds.length, "sweep")}.</p>
        )}
        <EnvironmentsField
          text={text}
          onText={(written) => {
            ask.reset();
            setText(written);
          }}
        />
        <Checkbox
          label="Also evaluate the policy before reinforcement learning"
          checked={isBefore}
          onChange={({ target }) => {
            ask.reset();
            setIsBefore(target.checked);
          }}
        />
        <p className="text-sm text-muted">
          Each run keeps the number of episodes, temperature and random seeds of its own evaluation. A built-in policy
          can be evaluated only in environments whose words are all in its vocabulary and whose prompts fit its context.
        </p>
        {ask.error && <Notice tone="bad">{errorWords(ask.error)}</Notice>}
      </div>
    </Dialog>
  );
}

function EnvironmentsField({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <Field
      label="Environments"
      hint="One environment in YAML, or a list in the form of evaluation.elsewhere in a sweep file."
    >
      {(wiring) => (
        <TextArea
          {...wiring}
          rows={6}
          spellCheck={false}
          value={text}
          onChange={({ target }) => onText(target.value)}
          className="font-mono text-sm"
        />
      )}
    </Field>
  );
}
