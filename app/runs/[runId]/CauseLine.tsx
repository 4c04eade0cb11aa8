import { useQuery } from "@tanstack/react-query";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Link } from "#app/_ui/Link.tsx";
import { causes } from "#server/domain/analysis/diagnosis/causes.ts";
import { runPage } from "#server/domain/pages.ts";
import { describeMetric } from "#trainer/spec/metric.ts";

/** Cause of a run's collapse or alarm, as far as rules find it in the run's log, with links to the charts. */
export function CauseLine({ runId, isOver }: { runId: string; isOver: boolean }) {
  const trpc = useTrpc();
  const { data } = useQuery(
    trpc.stability.diagnosis.queryOptions({ runId }, { refetchInterval: isOver ? false : 15_000 }),
  );
  if (!data) return null;
  const [first] = data.findings;
  return (
    <p className="max-w-5xl text-sm">
      <span className="font-semibold">{first ? "Cause: " : "Cause: not found"}</span>
      {!first && <span className="text-muted">: no rule sees one in what the run logged</span>}
      {data.findings.map(({ cause, metric, sentence }, i) => (
        <span key={cause}>
          {i > 0 && " "}
          <strong className="font-semibold">{causes[cause]}</strong>: {sentence}.{" "}
          <Link
            href={`${runPage(runId)}?find=${encodeURIComponent(metric)}`}
            className="whitespace-nowrap text-accent hover:underline"
            title={`Show the chart of ${describeMetric(metric).title}`}
          >
            See chart
          </Link>
        </span>
      ))}
    </p>
  );
}
