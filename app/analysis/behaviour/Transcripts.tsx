import type { Transcript } from "#server/domain/analysis/behaviour/groupEpisodes.ts";
import { nameTask } from "#server/domain/environments/taskSeed.ts";
import { episodePage } from "#server/domain/pages.ts";
import { Link } from "#app/_ui/Link.tsx";

/** Links to stored transcripts: seed and task of each, and method and iteration if they differ. */
export function Transcripts({ transcripts }: { transcripts: readonly Transcript[] }) {
  if (transcripts.length === 0) return <span className="text-muted">none stored</span>;
  const differs = (key: keyof Transcript) => new Set(transcripts.map((one) => one[key])).size > 1;
  return transcripts.map((one, i) => (
    <span className="whitespace-nowrap" key={`${one.runId} ${one.iteration} ${one.task}`}>
      {i > 0 && " · "}
      <Link
        className="text-accent hover:underline"
        href={episodePage(one.runId, one)}
        title={`${one.method}, seed ${one.seed}, after iteration ${one.iteration}, ${nameTask(one.task)}`}
      >
        {differs("method") && `${one.method}, `}
        seed {one.seed},{differs("iteration") && ` iteration ${one.iteration},`} {nameTask(one.task)}
      </Link>
    </span>
  ));
}
