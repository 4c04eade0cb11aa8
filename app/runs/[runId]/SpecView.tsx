import { useState } from "react";
import type { CellSpec } from "#trainer/spec/run.ts";
import { Checkbox } from "#app/_ui/Input.tsx";
import { CopyButton } from "#app/_ui/CopyButton.tsx";
import { prepareSpec } from "./prepareSpec.ts";

export function SpecView({ spec, seed }: { spec: CellSpec; seed: number }) {
  const [isShort, setIsShort] = useState(true);
  const groups = prepareSpec(spec)
    .map((group) => ({ ...group, lines: isShort ? group.lines.filter((line) => line.usual !== null) : group.lines }))
    .filter((group) => group.lines.length > 0);
  return (
    <section aria-label="Specification">
      <div className="mb-3 flex flex-wrap items-center gap-4">
        <Checkbox
          label="Only values that differ from the defaults"
          checked={isShort}
          onChange={(event) => setIsShort(event.target.checked)}
        />
        <CopyButton text={`${JSON.stringify({ v: 1, ...spec, seed }, null, 2)}\n`} label="Copy as JSON" />
      </div>
      {groups.length === 0 && <p className="text-muted">All settings have their default values.</p>}
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] items-start gap-3">
        {groups.map(({ name, lines }) => (
          <div key={name} className="rounded-lg border border-line bg-surface p-3">
            <h3 className="mb-1 font-semibold capitalize">{name}</h3>
            <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 text-sm">
              {lines.map(({ path, title, value, usual, about }) => (
                <div
                  key={path}
                  className="col-span-2 grid grid-cols-subgrid"
                  title={about === null ? `${name}.${path}` : `${name}.${path}: ${about}`}
                >
                  <dt className="text-muted">{title}</dt>
                  <dd className="text-right font-mono text-xs leading-5">
                    {usual === null ? (
                      value
                    ) : (
                      <>
                        <strong className="text-accent">{value}</strong>
                        <span className="text-muted"> instead of {usual}</span>
                      </>
                    )}
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
    </section>
  );
}
