"use client";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { ComparedConfiguration } from "#server/db/analysis/comparedRuns.ts";
import type { ComparedSetting } from "#server/domain/analysis/compare/differences.ts";
import { formatSetting } from "#packages/base";
import { formatCount } from "#app/_charts/format.ts";
import { Button } from "#app/_ui/Button.tsx";
import { ConfigurationDot } from "#app/_ui/MethodChip.tsx";
import { Cell, HeadCell, Table } from "#app/_ui/Table.tsx";

const YamlView = dynamic(() => import("./YamlView.tsx").then((module) => module.YamlView), { ssr: false });

type Props = {
  configurations: readonly ComparedConfiguration[];
  names: ReadonlyMap<number, string>;
  differing: readonly ComparedSetting[];
  same: readonly ComparedSetting[];
};

export function DifferenceTable({ configurations, names, differing, same }: Props) {
  const [isYamlOpen, setYamlOpen] = useState(false);
  return (
    <section aria-labelledby="differences">
      <h2 id="differences" className="mb-2 font-semibold">
        Differences in settings
      </h2>
      {differing.length === 0 ? (
        <p className="text-muted">
          {configurations.length === 1
            ? "There is only one configuration."
            : "All settings are the same in these configurations."}
        </p>
      ) : (
        <Table caption="Settings that differ">
          <thead>
            <tr>
              <HeadCell>Setting</HeadCell>
              {configurations.map(({ cellId, look }) => (
                <HeadCell key={cellId} className="max-sm:px-1.5 sm:whitespace-nowrap">
                  <ConfigurationDot {...look} /> {names.get(cellId)}
                </HeadCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {differing.map(({ path, title, values }) => (
              <tr key={path}>
                <Cell className="py-1">
                  <span title={path}>{title}</span>
                </Cell>
                {configurations.map(({ cellId }, i) => (
                  <Cell key={cellId} className="py-1 text-sm max-sm:px-1.5 sm:whitespace-nowrap">
                    {formatValue(values[i])}
                  </Cell>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <SameSettings same={same} />
      <Button kind="quiet" className="mt-1" aria-expanded={isYamlOpen} onClick={() => setYamlOpen(!isYamlOpen)}>
        {isYamlOpen ? "Hide YAML" : "Show as YAML"}
      </Button>
      {isYamlOpen && <YamlView configurations={configurations} names={names} />}
    </section>
  );
}

function SameSettings({ same }: Pick<Props, "same">) {
  return (
    <details className="mt-2">
      <summary className="cursor-pointer text-sm">
        {formatCount(same.length, "setting")} {same.length === 1 ? "is" : "are"} the same
      </summary>
      <dl className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-x-6 gap-y-1 text-sm">
        {same.map(({ path, title, values }) => (
          <div key={path} className="flex justify-between gap-3">
            <dt className="min-w-0 break-words text-muted" title={path}>
              {title}
            </dt>
            <dd className="font-mono">{formatValue(values[0])}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const words: Readonly<Record<string, string>> = {
  tokenMean: "mean over tokens",
  seqMeanTokenMean: "mean over sequences of token means",
  seqMeanTokenSum: "mean over sequences of token sums",
};

function formatValue(value: unknown): string {
  if (value === undefined) return "–";
  if (value === null) return "off";
  if (typeof value === "number") return formatSetting(value);
  return typeof value === "string" ? (words[value] ?? value) : JSON.stringify(value);
}
