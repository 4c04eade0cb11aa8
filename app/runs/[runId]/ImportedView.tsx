import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { describeStatement } from "#server/domain/trainers/import/applyStatement.ts";
import type { ImportedSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { StateButton } from "#app/_components/stating/StateButton.tsx";
import { Notice } from "#app/_ui/Notice.tsx";

type Props = {
  runId: string;
  spec: ImportedSpec;
  seed: number;
  originals: Readonly<Record<string, string>>;
  tracked: RunDetail["tracked"];
};

export function ImportedView({ runId, spec, seed, originals, tracked }: Props) {
  const { environment, method, sampling } = spec;
  const facts = [
    ["Method", method],
    ["Environment", titleOfEnvironment(nameOfEnvironment(environment))],
    ["Seed", String(seed)],
    ["Episodes behind each training success rate", `${sampling.numEpisodes} in groups of ${sampling.groupSize}`],
    ["Episodes behind each held-out success rate", String(sampling.numHeldOut)],
  ] as const;
  const ofKind = (kind: string) =>
    tracked.filter((one) => one.kind === kind).map(({ key, value }) => [key, value] as const);
  const [params, tags] = [ofKind("param"), ofKind("tag")];
  const names = Object.entries(originals).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <section aria-label="Facts about the imported run" className="flex flex-col gap-3">
      <Notice>
        An external trainer trained this run, and the settings come from the run&apos;s files. Numbers of episodes that
        are missing in the files are assumed. They only affect how large a drop of success must be to count as a
        collapse.
      </Notice>
      <div className="flex flex-wrap items-center gap-3">
        <p>
          {spec.stated
            ? `Method entered by a person, not read from a file: ${describeStatement(spec)}.`
            : "The method of this run (loss aggregation, clipping, advantage, sampling) is unknown: nobody has entered the method yet."}
        </p>
        <StateButton scope={{ runIds: [runId] }} />
      </div>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(24rem,100%),1fr))] gap-3">
        <Facts title="Run" facts={facts} />
        {params.length > 0 && <Facts title="Parameters" facts={params} />}
        {tags.length > 0 && <Facts title="Tags" facts={tags} />}
        {names.length > 0 && <Facts title="The trainer's own names of the metrics" facts={names} />}
      </div>
    </section>
  );
}

function Facts({ title, facts }: { title: string; facts: readonly (readonly [string, string])[] }) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <h3 className="mb-1 font-semibold">{title}</h3>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 text-right font-mono text-xs leading-5 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
