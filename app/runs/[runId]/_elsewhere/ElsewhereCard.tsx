"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { writeSpread } from "#packages/statistics";
import type { StoredEvaluation } from "#server/db/runs/evaluations.ts";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Checkbox } from "#app/_ui/Input.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { Field } from "#app/_ui/Field.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";

const lookEveryMs = 2000;
const isOpen = ({ state }: StoredEvaluation): boolean => state === "waiting" || state === "running";

/** Evaluations of a finished run in other environments, and a dialog that asks for more. */
export function ElsewhereCard({ runId }: { runId: string }) {
  const trpc = useTrpc();
  const [isAsking, setIsAsking] = useState(false);
  const { data: evaluations = [] } = useQuery(
    trpc.run.evaluations.queryOptions(
      { runIds: [runId] },
      { refetchInterval: ({ state }) => (state.data?.some(isOpen) ? lookEveryMs : false) },
    ),
  );
  return (
    <Card title="Elsewhere" actions={<Button onClick={() => setIsAsking(true)}>Evaluate elsewhere</Button>}>
      {evaluations.length === 0 ? (
        <p className="text-sm text-muted">The finished policy was not evaluated in other environments.</p>
      ) : (
        <Evaluations evaluations={evaluations} />
      )}
      <AskDialog runId={runId} open={isAsking} onClose={() => setIsAsking(false)} />
    </Card>
  );
}

function Evaluations({ evaluations }: { evaluations: readonly StoredEvaluation[] }) {
  return (
    <Table caption="Evaluations in other environments">
      <thead>
        <tr>
          <HeadCell>Environment</HeadCell>
          <HeadCell className="text-right">Iteration</HeadCell>
          <HeadCell className="text-right">Success rate</HeadCell>
          <HeadCell className="text-right">Turns</HeadCell>
          <HeadCell>Policy (SHA-256)</HeadCell>
        </tr>
      </thead>
      <tbody>
        {evaluations.map(({ id, evaluation, iteration, state, result, problem }) => (
          <tr key={id}>
            <Cell title={JSON.stringify(evaluation.environment)}>{evaluation.name ?? evaluation.environment.id}</Cell>
            <Cell className="text-right">{result?.iteration ?? iteration ?? "last"}</Cell>
            {result ? (
              <>
                <Cell className="text-right whitespace-nowrap">
                  {writeSpread({ mean: result.successRate, interval: null }, { unit: "fraction" })}
                </Cell>
                <Cell className="text-right">{result.turns.toFixed(1)}</Cell>
                <Cell title={result.policySha256} className="font-mono text-xs">
                  {result.policySha256.slice(0, 12)}
                </Cell>
              </>
            ) : (
              <Cell colSpan={3} className={problem === null ? "text-muted" : "text-bad"}>
                {problem ?? state}
              </Cell>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const example = "{ name: larger, environment: { id: sokoban, size: 7 } }";

function AskDialog({ runId, open, onClose }: { runId: string; open: boolean; onClose: () => void }) {
  const trpc = useTrpc();
  const queries = useQueryClient();
  const [text, setText] = useState(`- ${example}`);
  const [isBefore, setIsBefore] = useState(true);
  const ask = useMutation(
    trpc.run.evaluate.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries(trpc.run.evaluations.queryFilter({ runIds: [runId] }));
        onClose();
      },
    }),
  );
  const iterations = isBefore ? [null, 0] : [null];
  return (
    <Dialog
      open={open}
      title="Evaluate elsewhere"
      onClose={onClose}
      footer={
        <Button
          kind="primary"
          disabled={ask.isPending}
          onClick={() => ask.mutate({ runIds: [runId], environments: text, iterations })}
        >
          Evaluate
        </Button>
      }
    >
      <div className="space-y-3">
        <Field label="Environments" hint="YAML: one environment, or a list as in evaluation.elsewhere of a plan.">
          {(wiring) => (
            <textarea
              {...wiring}
              rows={6}
              spellCheck={false}
              value={text}
              onChange={({ target }) => setText(target.value)}
              className="w-full rounded border border-edge bg-surface p-2 font-mono text-sm"
            />
          )}
        </Field>
        <Checkbox
          label="Also the policy before reinforcement learning"
          checked={isBefore}
          onChange={({ target }) => setIsBefore(target.checked)}
        />
        <p className="text-sm text-muted">
          Episodes, temperature and random streams are those of the run’s own evaluation. A built-in policy can act only
          where it knows every word and has enough positions.
        </p>
        {ask.error && <Notice tone="bad">{errorWords(ask.error)}</Notice>}
      </div>
    </Dialog>
  );
}
