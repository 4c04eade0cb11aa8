import { nameFlowTypes, toFlowRows } from "#server/domain/analysis/behaviour/flowRows.ts";
import type { Transcript } from "#server/domain/analysis/behaviour/groupEpisodes.ts";
import { episodePage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";
import type { FlowProps } from "./FlowFigure.tsx";

/** Links to stored transcripts: seed, iteration and task of each. */
export function Transcripts({ transcripts }: { transcripts: readonly Transcript[] }) {
  if (transcripts.length === 0) return <span className="text-muted">none stored</span>;
  return transcripts.map((one, i) => (
    <span className="whitespace-nowrap" key={`${one.runId} ${one.iteration} ${one.task}`}>
      {i > 0 && ", "}
      <Link
        className="text-accent hover:underline"
        href={episodePage(one.runId, one)}
        title={`${one.method}, seed ${one.seed}, after iteration ${one.iteration}, task ${one.task}`}
      >
        seed {one.seed}, task {one.task}
      </Link>
    </span>
  ));
}

/** Folded list of a diagram's bands, the widest first, with transcripts of each. */
export function FlowTranscripts({ title, flow, types }: FlowProps) {
  const [, ...rows] = toFlowRows(flow, nameFlowTypes(types));
  const bands = flow.links
    .map(({ share, transcripts }, i) => ({ share, transcripts, row: rows[i] ?? [] }))
    .toSorted((a, b) => b.share - a.share);
  return (
    <details className="mt-1 text-sm">
      <summary className="w-fit cursor-pointer text-muted">Transcripts by flow: {title}</summary>
      <ul className="mt-1 space-y-0.5">
        {bands.map(({ share, transcripts, row: [turn, from, to] }) => (
          <li key={`${turn} ${from} ${to}`}>
            Turn {turn}, {from} → {to} ({Math.round(100 * share)} %): <Transcripts transcripts={transcripts} />
          </li>
        ))}
      </ul>
    </details>
  );
}
