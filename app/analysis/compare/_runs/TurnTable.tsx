"use client";
import type { SampleEpisode } from "#trainer/spec/sample.ts";
import { formatValidity } from "#app/_components/episode/formatValidity.ts";
import { classes } from "#app/_ui/classes.ts";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

type Props = {
  episodes: readonly (SampleEpisode & { name: string })[];
  partsAt: number | undefined;
  chosen: number;
  onChoose: (turn: number) => void;
};

/** Actions of each episode at each turn; the chosen turn is drawn below. */
export function TurnTable({ episodes, partsAt, chosen, onChoose }: Props) {
  const numTurns = Math.max(0, ...episodes.map(({ turns }) => turns.length));
  return (
    <Table caption="Actions by turn" className="max-h-96 overflow-y-auto">
      <thead>
        <tr>
          <HeadCell>Turn</HeadCell>
          {episodes.map(({ name, isSuccess }) => (
            <HeadCell key={name}>
              {name}, {isSuccess ? "succeeds" : "fails"}
            </HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: numTurns }, (_, i) => (
          <tr key={i} className={classes(i === chosen && "bg-sunken")}>
            <Cell className="whitespace-nowrap">
              <button
                type="button"
                aria-pressed={i === chosen}
                className="rounded px-1 text-accent hover:underline"
                onClick={() => onChoose(i)}
              >
                Turn {i + 1}
              </button>
              {i === partsAt && <span className="ml-2 text-sm font-medium">they part here</span>}
            </Cell>
            {episodes.map(({ name, turns }) => (
              <Cell key={name}>
                <TurnWords turn={turns[i]} />
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function TurnWords({ turn }: { turn: SampleEpisode["turns"][number] | undefined }) {
  if (!turn) return <span className="text-muted">has ended</span>;
  const validity = formatValidity(turn);
  return (
    <>
      <code className="font-mono text-sm break-words">{turn.action === "" ? "nothing" : turn.action}</code>
      {validity !== "valid" && <span className="block text-xs text-warn">{validity}</span>}
    </>
  );
}
