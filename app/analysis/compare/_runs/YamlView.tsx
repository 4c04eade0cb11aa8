"use client";
import type { ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import { specToYaml } from "#server/domain/plan/sweep/file/specYaml.ts";

type Props = { configurations: readonly ComparedConfiguration[]; names: ReadonlyMap<number, string> };

export function YamlView({ configurations, names }: Props) {
  return (
    <div className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(min(24rem,100%),1fr))] gap-3">
      {configurations.map(({ cellId, spec }) => (
        <figure key={cellId} className="min-w-0">
          <figcaption className="mb-1 text-sm font-medium">{names.get(cellId)}</figcaption>
          <pre
            tabIndex={0}
            role="region"
            aria-label={`YAML of ${names.get(cellId) ?? ""}`}
            className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs leading-5"
          >
            {specToYaml(spec)}
          </pre>
        </figure>
      ))}
    </div>
  );
}
