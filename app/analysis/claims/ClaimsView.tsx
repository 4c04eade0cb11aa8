"use client";

import { EffectBar } from "#app/_ui/EffectBar.tsx";
import { pages, runPage } from "#server/domain/pages.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { groupBy, lowerFirst } from "#packages/base";
import { Link } from "#app/_ui/Link.tsx";
import { describeLeftOut, describeSide, describeTest } from "#server/domain/analysis/claims/describePart.ts";
import type { Answering, Finding } from "#server/domain/analysis/claims/findings.ts";
import type { AnswerTo } from "#server/api/publish/answers.ts";
import { formatCount } from "#app/_charts/format.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import { Analysing, stoppable } from "#app/_components/Analysing.tsx";
import { useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Button, buttonClasses } from "#app/_ui/Button.tsx";
import { SeedsNeeded } from "#app/_components/seeds/SeedsNeeded.tsx";
import type { AnsweredPart } from "#server/domain/analysis/claims/answer.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Answered, OfMetric, studiedPart } from "../Studied.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { Card } from "#app/_ui/Card.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Popover } from "#app/_ui/Popover.tsx";
import { StatusPill } from "#app/_ui/StatusPill.tsx";
import { describeUnstudied } from "../describeUnstudied.ts";
import { prepareScales, type Scales, writeScales } from "./prepareScales.ts";

type Found = Omit<Finding, "parts"> & { parts: readonly AnsweredPart[] };

/** Verdicts in the order of their cards. */
const outcomes = {
  contradicted: { title: "Contradicted", tone: "bad", icon: "cross", stripe: "border-l-bad" },
  supported: { title: "Supported", tone: "good", icon: "check", stripe: "border-l-good" },
  chance: { title: "Could be chance", tone: "neutral", icon: "question", stripe: "border-l-edge" },
  notEnough: { title: "Not enough data", tone: "neutral", icon: "question", stripe: "border-l-line" },
} as const;

export function ClaimsView({ sweepIds }: { sweepIds: string[] }) {
  return (
    <OfMetric sweepIds={sweepIds}>
      {(metric, picker) => <Claims sweepIds={sweepIds} metric={metric} picker={picker} />}
    </OfMetric>
  );
}

function Claims({ sweepIds, metric, picker }: { sweepIds: string[]; metric: string; picker: ReactNode }) {
  const trpc = useTrpc();
  const input = { sweepIds, metric, ...useDependent() };
  const query = useQuery(trpc.analysis.claims.queryOptions(input, stoppable));
  const data = query.error ? undefined : query.data;
  return (
    <div className="space-y-4">
      {data ? <Answered answer={data} /> : !query.error && <Skeleton className="h-14" />}
      {picker}
      {data ? (
        <Findings claims={data} sweepIds={sweepIds} metric={metric} />
      ) : (
        <Analysing name="claims" input={input} query={query} className="h-96" />
      )}
    </div>
  );
}

type FindingsProps = { claims: AnswerTo<"claims">; sweepIds: string[]; metric: string };

function Findings({ claims, sweepIds, metric }: FindingsProps) {
  const left = describeUnstudied(claims);
  const order = Object.keys(outcomes);
  const answered = claims.findings
    .filter(({ outcome }) => outcome !== "notEnough")
    .toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const open = claims.findings.filter(({ outcome }) => outcome === "notEnough");
  const scales = prepareScales(answered);
  const ends = writeScales(scales);
  return (
    <>
      <details className="text-sm text-muted">
        <summary className="w-fit cursor-pointer">How claims are tested</summary>
        <p className="mt-1 max-w-prose">
          Each claim is tested on {formatCount(claims.numRuns, "finished run")}. A test compares two groups of runs that
          differ only in the setting that the claim is about. Each group needs at least five runs, and p &lt; .05 counts
          as significant. The result of a run is its mean of {lowerFirst(describeMetric(metric).title)} over the final
          window{claims.isStandardised && ", in standard deviations within each environment"}.{" "}
          {left.length > 0 && `Runs left out or treated specially: ${left.join("; ")}.`}
        </p>
      </details>
      {ends !== "" && (
        <p className="text-sm text-muted">
          Ends of the bars&rsquo; axes: {ends}.
          {claims.isStandardised && " SD: standard deviations within each environment."}
        </p>
      )}
      <div className="gap-3 lg:columns-2">
        {answered.map((finding) => (
          <FindingCard key={finding.id} finding={finding} scales={scales} />
        ))}
      </div>
      {open.length > 0 && (
        <OpenClaims findings={open} isAll={answered.length === 0} sweepIds={sweepIds} metric={metric} />
      )}
    </>
  );
}

type OpenProps = { findings: readonly Finding[]; isAll: boolean; sweepIds: string[]; metric: string };

/** Lists claims without enough runs to compare, one line each. Claims with some comparable runs show their numbers. */
function OpenClaims({ findings, isAll, sweepIds, metric }: OpenProps) {
  const trpc = useTrpc();
  const { data: answering } = useQuery(trpc.analysis.answering.queryOptions({ sweepIds, metric, ...useDependent() }));
  const { nameOf, add } = useMoreSweeps(sweepIds);
  const list = <OpenList findings={findings} isAll={isAll} answering={answering} />;
  return (
    <>
      {/* Offers load late; below the folded list they move nothing. */}
      {!isAll && list}
      <Notice>
        <div className="flex flex-col gap-2">
          {listOffers(answering ?? []).map(({ sweepIds: others, numClaims }) => (
            <span key={others.join()} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Button onClick={() => add(others)}>Add {formatCount(others.length, "sweep")}</Button>
              <span>
                {listNames(others.map(nameOf))} would decide {numClaims} of these{" "}
                {formatCount(findings.length, "claim")}.
              </span>
            </span>
          ))}
          <MissingRuns findings={findings} />
        </div>
      </Notice>
      {isAll && list}
    </>
  );
}

/** Offers the sweeps that decide the largest number of claims alike, and all sweeps where these decide more. */
export function listOffers(answering: readonly Answering[]): { sweepIds: readonly string[]; numClaims: number }[] {
  const alike = groupBy(answering, ({ sweepIds }) => sweepIds.toSorted().join());
  const offerOf = (sweepIds: readonly string[]) => ({
    sweepIds,
    numClaims: answering.filter((one) => one.sweepIds.every((id) => sweepIds.includes(id))).length,
  });
  const [first] = [...alike.values()].toSorted(
    (a, b) => b.length - a.length || (a[0]?.sweepIds.length ?? 0) - (b[0]?.sweepIds.length ?? 0),
  );
  const all = offerOf([...new Set(answering.flatMap(({ sweepIds }) => sweepIds))]);
  const some = offerOf(first?.[0]?.sweepIds ?? []);
  if (answering.length === 0) return [];
  return some.numClaims === all.numClaims ? [some] : [some, all];
}

function listNames(names: readonly string[]): string {
  const maxNamed = 3;
  const shown = names.length > maxNamed ? [...names.slice(0, 2), `${names.length - 2} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join("; ")} and ${shown.at(-1)}`;
}

/** Menu of the plans whose runs decide the open claims, those that decide most first. */
function MissingRuns({ findings }: { findings: readonly Finding[] }) {
  const { data: presets = [] } = useQuery(useTrpc().sweep.presets.queryOptions());
  const byPreset = [...groupBy(findings, ({ preset }) => preset)].toSorted(([, a], [, b]) => b.length - a.length);
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Popover label="Launch the missing runs" button="Launch the missing runs ▾" buttonClassName={buttonClasses()}>
        {() => (
          <ul>
            {byPreset.map(([preset, alike]) => (
              <li key={preset}>
                <Link
                  href={`${pages.newSweep}?preset=${preset}`}
                  className="flex justify-between gap-3 rounded px-2 py-1 hover:bg-sunken"
                >
                  <span>{presets.find(({ id }) => id === preset)?.plan.name ?? preset}</span>
                  <span className="text-muted">{formatCount(alike.length, "claim")}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Popover>
      <span>Each of {formatCount(byPreset.length, "plan")} decides some of these claims.</span>
    </span>
  );
}

function useMoreSweeps(chosen: readonly string[]) {
  const trpc = useTrpc();
  const [, setSweeps] = useAddress(studiedPart);
  const { data: sweeps = [] } = useQuery(trpc.sweep.list.queryOptions());
  return {
    nameOf: (id: string) => sweeps.find((sweep) => sweep.id === id)?.name ?? id,
    add: (others: readonly string[]) => setSweeps([...chosen, ...others]),
  };
}

type ListProps = Pick<OpenProps, "findings" | "isAll"> & {
  /** Claims that other sweeps of the studio could test, each with the ids of these sweeps; undefined while loading. */
  answering: readonly Answering[] | undefined;
};

function OpenList({ findings, isAll, answering }: ListProps) {
  const areDecided = new Set(answering?.map(({ claimId }) => claimId));
  const lists = [
    {
      title: "Other sweeps of the studio would decide these",
      findings: findings.filter(({ id }) => areDecided.has(id)),
    },
    { title: "New runs would decide these", findings: findings.filter(({ id }) => !areDecided.has(id)) },
  ].filter((list) => list.findings.length > 0);
  return (
    <details open={isAll} className="rounded-lg border border-line bg-surface p-4">
      <summary className="cursor-pointer font-medium">
        {formatCount(findings.length, isAll ? "claim" : "more claim")} without enough runs to compare
      </summary>
      {lists.map((list) => (
        <section key={list.title} className="mt-3 text-sm">
          {lists.length > 1 && <h2 className="font-medium">{list.title}</h2>}
          <ul className="mt-1 divide-y divide-line">
            {list.findings.map(({ id, claim, source, parts }) => (
              <li key={id} className="py-1.5">
                {claim} <span className="text-muted">{source}.</span>
                <FiguresSoFar parts={parts.filter(({ numContexts }) => numContexts > 0)} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}

function FiguresSoFar({ parts }: { parts: readonly AnsweredPart[] }) {
  if (parts.length === 0) return null;
  return (
    <details className="mt-1">
      <summary className="cursor-pointer text-accent">Results so far</summary>
      <div className="mt-2 border-l-2 border-line pl-3">
        <PartList parts={parts} />
      </div>
    </details>
  );
}

type CardProps = { finding: Found; scales?: Scales };

export function FindingCard({ finding, scales = prepareScales([finding]) }: CardProps) {
  const { title, tone, icon, stripe } = outcomes[finding.outcome];
  return (
    <Card
      className={classes("mb-3 break-inside-avoid border-l-4", stripe)}
      title={finding.claim}
      actions={
        <StatusPill tone={tone} icon={icon}>
          {title}
        </StatusPill>
      }
    >
      <PartList parts={finding.parts} scales={scales} />
      <p className="mt-3 text-xs text-muted">
        {finding.source}
        {finding.parts.length > 1 &&
          `. The claim counts as supported if ${finding.rule === "all" ? "all tests support" : "one test supports"} it`}
        . {finding.note}
      </p>
    </Card>
  );
}

/** Shows the tests of one claim, with bars if there are scales. */
function PartList({ parts, scales }: { parts: readonly AnsweredPart[]; scales?: Scales }) {
  return (
    <div className="space-y-3">
      {parts.map((part) => (
        <PartView key={part.question} part={part} reach={scales?.get(part.unit)} />
      ))}
    </div>
  );
}

function PartView({ part, reach }: { part: AnsweredPart; reach: number | undefined }) {
  const { question, sides } = part;
  return (
    <div>
      <p className="text-sm font-medium">{question}</p>
      <ul className="text-sm">
        {sides.map((side) => (
          <li key={side.name} className="first-letter:uppercase">
            {side.name}: {describeSide(side, part)}
            {/* Counted collapses contain the number of runs. */}
            {typeof side.figure !== "string" && `, ${formatCount(side.n, "run")}`}{" "}
            {side.runIds.length > 0 && (
              <details className="inline">
                <summary className="inline cursor-pointer text-xs text-accent">show these runs</summary>{" "}
                <span className="text-xs">
                  {side.runIds.map((id, i) => (
                    <span key={id}>
                      {i > 0 && ", "}
                      <Link href={runPage(id)} className="text-accent hover:underline">
                        {id}
                      </Link>
                    </span>
                  ))}
                </span>
              </details>
            )}
          </li>
        ))}
      </ul>
      {reach !== undefined && Number.isFinite(part.difference) && (
        <EffectBar difference={part.difference} interval={part.interval} reach={reach} />
      )}
      <p className="text-xs text-muted">
        {describeTest(part)}
        {part.numLeftOut > 0 && ` ${describeLeftOut(part)}`}
      </p>
      {part.needed && (
        // Its buttons load late, and would move what is below.
        <details className="text-sm">
          <summary className="w-fit cursor-pointer text-accent">Runs that would decide it</summary>
          <SeedsNeeded sweepIds={part.sweepIds ?? []} undecided={[{ names: [], needed: part.needed }]} />
        </details>
      )}
    </div>
  );
}
