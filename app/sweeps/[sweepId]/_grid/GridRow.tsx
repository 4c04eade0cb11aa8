import { runPage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import { formatCount, formatDuration } from "#app/_charts/format.ts";
import { useLiftedLine } from "#app/_charts/liftedLine.tsx";
import { useTrpc, useTrpcClient } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { classes } from "#app/_ui/classes.ts";
import { ConfigurationDot } from "#app/_ui/MethodChip.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { useRefusal } from "#app/_ui/refusals.tsx";
import { Cell } from "#app/_ui/Table.tsx";
import { type Line, type Row, type SeedMark } from "./prepareRow.ts";
import { textTones } from "#app/_ui/StatusPill.tsx";

type Props = Line & {
  course: { iterations: readonly number[]; values: readonly number[] } | undefined;
  /** Maximum of the metric over all configurations, because their sparklines share a y-axis. */
  highest: number;
  isOpen: boolean;
  onToggle: () => void;
  /** Starts a new attempt of failed runs; undefined if runs cannot be retried. */
  retry: ReturnType<typeof useRetry> | undefined;
};

export function GridRow(props: Props) {
  const { row, name, settings, color, figure, course, highest, retry } = props;
  const { cell, seeds, gone, meanMs } = row;
  const [, lift] = useLiftedLine();
  return (
    <tr className="hover:bg-sunken/50" onPointerEnter={() => lift(String(cell.id))} onPointerLeave={() => lift()}>
      <NameCell {...props} />
      <Cell className="py-1 text-right whitespace-nowrap max-sm:px-2">
        {figure ? <span className="font-medium">{figure.figure}</span> : <span className="text-muted">–</span>}
        {figure && figure.n < seeds.length && (
          <span className="ml-1 text-xs text-muted">
            {figure.n} of {formatCount(seeds.length, "seed")}
          </span>
        )}
        {figure?.difference !== undefined && <span className="block text-xs text-muted">{figure.difference}</span>}
      </Cell>
      <Cell className="py-1 max-sm:px-1">
        {/* On a phone three seeds stand side by side. */}
        <span className={classes("flex flex-wrap gap-0.5 max-sm:min-w-[4.75rem]", seedWidths(seeds.length))}>
          {seeds.map((seed) => (
            <SeedLink key={seed.run.id} seed={seed} />
          ))}
        </span>
      </Cell>
      {settings.map((value, i) => (
        <Cell key={i} className="py-1 text-right font-mono text-sm whitespace-nowrap">
          {value}
        </Cell>
      ))}
      <Cell className="py-1 pl-8 max-md:hidden xl:hidden">
        {course && <Sparkline {...course} color={color} highest={highest} last={cell.iterations} />}
      </Cell>
      <Cell className="py-1 text-right whitespace-nowrap text-muted max-md:hidden xl:hidden">
        {meanMs === undefined ? "–" : formatDuration(meanMs)}
      </Cell>
      <Cell className="w-8 py-1 text-right max-sm:w-0 max-sm:px-0">
        {retry && gone.length > 0 && <RetryButton label={labelRetry(gone, name)} runs={gone} retry={retry} />}
      </Cell>
    </tr>
  );
}

type NameProps = Pick<Props, "name" | "title" | "color" | "mark" | "isOpen" | "onToggle">;

function NameCell({ name, title, color, mark, isOpen, onToggle }: NameProps) {
  return (
    <th
      scope="row"
      className="border-t border-line py-1 pr-3 pl-1.5 text-left font-medium sm:whitespace-nowrap xl:min-w-28 xl:whitespace-normal"
    >
      <button
        type="button"
        data-item
        aria-expanded={isOpen}
        aria-label={`Details of ${name}`}
        onClick={onToggle}
        className="inline-flex items-center gap-2 rounded px-1 py-0.5 text-left hover:bg-sunken"
      >
        <Icon name="chevron" className={classes("size-3 shrink-0 text-muted", isOpen && "rotate-90")} />
        <ConfigurationDot color={color} mark={mark} />
        {title}
      </button>
    </th>
  );
}

function labelRetry(gone: Row["gone"], name: string): string {
  const [only] = gone;
  return gone.length === 1 && only ? `Retry seed ${only.seed} of ${name}` : `Retry ${gone.length} runs of ${name}`;
}

function SeedLink({ seed: { run, icon, tone, share, isUnderWay, label, explanation } }: { seed: SeedMark }) {
  return (
    <Link
      href={runPage(run.id)}
      title={`${label} ${explanation}`}
      aria-label={label}
      className={classes(
        "inline-flex size-6 items-center justify-center rounded-full hover:bg-sunken",
        textTones[tone],
      )}
    >
      {isUnderWay ? <Ring share={share} /> : <Icon name={icon} className="size-3.5" />}
    </Link>
  );
}

function Ring({ share }: { share: number }) {
  const length = 2 * Math.PI * 6;
  return (
    <svg viewBox="0 0 16 16" className="size-4 -rotate-90" aria-hidden="true" fill="none" strokeWidth="3">
      <circle cx="8" cy="8" r="6" stroke="var(--line)" />
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeDasharray={`${share * length} ${length}`} />
    </svg>
  );
}

/** Returns the width classes of seed icons: four icons are in two rows of two, ten and more in rows of five. */
function seedWidths(numSeeds: number): string {
  if (numSeeds === 4) return "w-14";
  return numSeeds > 9 ? "max-w-80 min-w-[4.75rem] md:min-w-36" : "max-w-80 sm:min-w-[4.75rem]";
}

type SparklineProps = NonNullable<Props["course"]> & Pick<Props, "color" | "highest"> & { last: number };

const size = { width: 200, height: 26 };

/** Draws the values, which start at 0 and end at `highest`, over the iterations up to `last`. */
function Sparkline({ iterations, values, last, highest, color }: SparklineProps) {
  const to = Math.max(last, iterations.at(-1) ?? 0, 1);
  const points = iterations.map((x, i) => {
    const y = Math.max(0, values[i] ?? 0) / (highest || 1);
    return `${((x / to) * size.width).toFixed(1)},${(size.height - 2 - y * (size.height - 4)).toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      height={size.height}
      aria-hidden="true"
      className="block w-full max-w-96"
    >
      <line
        x1="0"
        x2={size.width}
        y1={size.height - 1}
        y2={size.height - 1}
        stroke="var(--line)"
        vectorEffect="non-scaling-stroke"
      />
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke={color}
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

type RetryProps = { label: string; runs: readonly { id: string }[]; retry: ReturnType<typeof useRetry> };

export function RetryButton({ label, runs, retry }: RetryProps) {
  const refusal = useRefusal("change");
  return (
    <button
      type="button"
      aria-label={label}
      title={refusal ?? label}
      disabled={refusal !== undefined || retry.isPending}
      onClick={() => retry.mutate(runs.map(({ id }) => id))}
      className="inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text disabled:opacity-50"
    >
      <Icon name="retry" className="size-3.5" />
    </button>
  );
}

export function useRetry() {
  const trpc = useTrpc();
  const client = useTrpcClient();
  return useAction(
    { mutationFn: (ids: string[]) => Promise.all(ids.map((id) => client.run.retry.mutate({ id }))) },
    {
      toast: (_, ids) => `One more attempt for ${formatCount(ids.length, "run")}`,
      stale: [trpc.run.grid.queryFilter(), trpc.sweep.byId.queryFilter()],
    },
  );
}
