import { describeLatest, type LatestSaving as Latest } from "#server/domain/analysis/latestSaving.ts";

/** Latest time at which each change still saves. */
export function LatestSaving({ latest, areSeveral = false }: { latest: readonly Latest[]; areSeveral?: boolean }) {
  if (latest.length === 0) return null;
  return (
    <div className="text-sm">
      <p>
        Latest time at which at least half of the branches did not collapse [95 % CI]
        {areSeveral && ", in iterations before the first alarm"}:
      </p>
      <ul className="list-disc pl-5">
        {latest.map((one) => (
          <li key={one.arm}>{describeLatest(one, areSeveral ? "before" : "after")}</li>
        ))}
      </ul>
    </div>
  );
}
