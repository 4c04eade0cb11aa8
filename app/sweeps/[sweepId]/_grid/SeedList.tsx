"use client";
import { runPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { formatDuration } from "#app/_charts/format.ts";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Cell } from "#app/_ui/Table.tsx";
import { type Row, type SeedMark, textTones } from "./prepareRow.ts";
import { RetryButton, type useRetry } from "./RetryButton.tsx";

type Props = {
  row: Row;
  name: string;
  /** Number of setting columns in the table. */
  numSettings: number;
  retry: ReturnType<typeof useRetry> | undefined;
};

/** The runs of a configuration in words, below its row. */
export function SeedList({ row, name, numSettings, retry }: Props) {
  return (
    <tr>
      <Cell colSpan={6 + numSettings} className="border-t-0 bg-sunken/40 py-1 pl-8">
        <ul aria-label={`Runs of ${name}`}>
          {row.seeds.map((seed) => (
            <li key={seed.run.id} className="flex flex-wrap items-center gap-x-4 py-0.5 text-sm">
              <Link href={runPage(seed.run.id)} className="w-16 font-medium text-accent hover:underline">
                Seed {seed.run.seed}
              </Link>
              <SeedState seed={seed} />
              {retry && row.gone.includes(seed.run) && (
                <RetryButton label={`Retry seed ${seed.run.seed} of ${name}`} runs={[seed.run]} retry={retry} />
              )}
            </li>
          ))}
        </ul>
      </Cell>
    </tr>
  );
}

function SeedState({ seed }: { seed: SeedMark }) {
  const { run, icon, tone, progress, share, word, alarm, explanation } = seed;
  const ms = run.startedAt && run.endedAt && run.endedAt.getTime() - run.startedAt.getTime();
  return (
    <>
      <span className={classes("flex min-w-40 items-center gap-1.5", textTones[tone])} title={explanation}>
        <Icon name={icon} className="size-3.5" />
        {word}
      </span>
      {alarm !== "" && <span className="text-muted">Alarm: {alarm}</span>}
      <span className="flex items-center gap-2 text-muted">
        <span aria-hidden="true" className="block h-1 w-32 overflow-hidden rounded-full bg-line">
          <span className="block h-full bg-edge" style={{ width: `${100 * share}%` }} />
        </span>
        {progress}
        {run.numAttempts > 1 && `, attempt ${run.numAttempts}`}
        {ms ? `, ${formatDuration(ms)}` : ""}
      </span>
    </>
  );
}
