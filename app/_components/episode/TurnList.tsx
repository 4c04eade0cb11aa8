"use client";
import type { PlayedTurn } from "#server/engine/playground/play.ts";
import { formatValue } from "#app/_charts/format.ts";
import { formatValidity } from "./turns.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";

type Props = { turns: readonly PlayedTurn[]; isBusy: boolean; onGoBackTo: (turn: number) => void };

export function TurnList({ turns, isBusy, onGoBackTo }: Props) {
  return (
    <Card title="Turns">
      {turns.length === 0 && <p className="text-sm text-muted">No turn yet.</p>}
      <ol aria-label="Turns" className="flex max-h-[36rem] flex-col gap-1 overflow-y-auto text-sm">
        {turns
          .map((turn, i) => <TurnRow key={i} number={i + 1} turn={turn} isBusy={isBusy} onUndo={() => onGoBackTo(i)} />)
          .toReversed()}
      </ol>
    </Card>
  );
}

type RowProps = { number: number; turn: PlayedTurn; isBusy: boolean; onUndo: () => void };

function TurnRow({ number, turn, isBusy, onUndo }: RowProps) {
  const { action, reward, response } = turn;
  const validity = formatValidity(turn);
  return (
    <li className="border-t border-line py-1.5 first:border-t-0">
      <details>
        <summary className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-baseline gap-x-2 [&::-webkit-details-marker]:hidden">
          <span className="text-muted">{number}</span>
          <code className="font-mono break-words">{action === "" ? "(none)" : action}</code>
          <span className={classes(reward > 0 && "text-good", reward < 0 && "text-bad")}>{formatValue(reward)}</span>
          {validity !== "valid" && <span className="col-start-2 text-xs text-warn">{validity}</span>}
        </summary>
        <pre className="mt-1 ml-8 font-mono text-xs break-words whitespace-pre-wrap text-muted">{response}</pre>
        <Button kind="quiet" className="mt-1 ml-5" disabled={isBusy} onClick={onUndo}>
          Undo this turn and later turns
        </Button>
      </details>
    </li>
  );
}
