import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { writeSpread } from "#packages/statistics";
import type { StoredEvaluation } from "#server/db/runs/evaluations.ts";
import { Ago } from "#app/_components/Ago.tsx";
import { AskElsewhere } from "#app/_components/AskElsewhere.tsx";
import { CancelEvaluations } from "#app/_components/cancelling/CancelDialog.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { Cell, Head, Table } from "#app/_ui/Table.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";

const lookEveryMs = 2000;
const isOpen = ({ state }: Pick<StoredEvaluation, "state">): boolean => state === "waiting" || state === "running";

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
    <Card title="Other environments" actions={<Button onClick={() => setIsAsking(true)}>Evaluate elsewhere</Button>}>
      {evaluations.length === 0 ? (
        <p className="text-sm text-muted">The finished policy was not evaluated in other environments.</p>
      ) : (
        <Evaluations evaluations={evaluations} />
      )}
      <AskElsewhere scope={{ runIds: [runId] }} open={isAsking} onClose={() => setIsAsking(false)} />
    </Card>
  );
}

function Progress({ state, node, startedAt, note, cancelAt }: Omit<StoredEvaluation, "problem">) {
  if (state === "cancelled") return "cancelled";
  if (cancelAt !== null) return "being cancelled";
  if (state === "waiting") return note === null ? "waits for a free slot" : `waits for a free slot again: ${note}`;
  return (
    <>
      on {node}, started <Ago at={startedAt} />
      {note !== null && `: ${note}`}
    </>
  );
}

function Evaluations({ evaluations }: { evaluations: readonly StoredEvaluation[] }) {
  return (
    <Table caption="Evaluations in other environments">
      <Head
        cells={[
          "Environment",
          { number: "Iteration" },
          { number: "Success rate" },
          { number: "Turns" },
          "Policy (SHA-256)",
        ]}
      />
      <tbody>
        {evaluations.map(({ problem, ...one }) => {
          const { id, evaluation, iteration, result } = one;
          return (
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
                  {problem ?? <Progress {...one} />}
                  {isOpen(one) && one.cancelAt === null && <CancelEvaluations of={{ ids: [id] }} label="Cancel" />}
                </Cell>
              )}
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
