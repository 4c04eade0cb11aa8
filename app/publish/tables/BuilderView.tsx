"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "#app/_charts/format.ts";
import { Analysing, keptStoppable } from "#app/_components/Analysing.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { Busy, ResultButton } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { classes } from "#app/_ui/classes.ts";
import { sweepsPart } from "#app/_ui/address.ts";
import { readQuery, useAddress } from "#app/_ui/useAddress.ts";
import { useToast } from "#app/_ui/Toast.tsx";
import { ShareButton } from "#app/_components/sharing/ShareButton.tsx";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { LeftOutNote, useDependent } from "#app/_components/sweeps/LeftOutNote.tsx";
import { SweepsHead } from "#app/_components/sweeps/SweepsHead.tsx";
import { TableView } from "#app/_components/table/TableView.tsx";
import { type Change, findProblem, parseAddress, writeAddress } from "./address.ts";
import { OptionsPanel } from "./options/OptionsPanel.tsx";
import type { Table } from "#packages/tables";
import { Card } from "#app/_ui/Card.tsx";
import { Choice } from "#app/_ui/Choice.tsx";
import { type Format, formatChoices, nameFile, printAs } from "#app/_components/table/formats.ts";
import { TextActions, TextBlock } from "#app/_components/table/TextBlock.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { CopyButton } from "#app/_ui/CopyButton.tsx";

const askedPart = { parse: parseAddress, write: writeAddress };
/** A change of sweeps drops the parameters listed here, which name rows and environments of the old sweeps. */
const tabulatedPart = sweepsPart(["baseline", "without", "no", "ours"]);

export function BuilderView({ sweepIds }: { sweepIds: string[] }) {
  const trpc = useTrpc();
  const [asked, setAsked] = useAddress(askedPart);
  const input = { sweepIds, ...asked, ...useDependent() };
  const query = useQuery(trpc.table.built.queryOptions(input, keptStoppable));
  const { data, error, isPlaceholderData } = query;
  const toast = useToast();
  const [isOpen, setIsOpen] = useState(false);
  // If a table cannot be built, the options stay visible, so that the user can undo the last choice.
  const of = sweepIds.join();
  const [known, setKnown] = useState({ of, data });
  if (data && !isPlaceholderData && known.data !== data) setKnown({ of, data });
  const shown = data ?? (known.of === of ? known.data : undefined);
  // The last choice is undone in the options.
  if (error && !isOpen) setIsOpen(true);
  // Each change starts from the current URL, because an earlier change may not be rendered yet.
  const change = (update: Change) => {
    const next = update(parseAddress(readQuery()));
    const problem = findProblem(next);
    if (problem) toast(problem, "bad");
    else setAsked(next);
  };
  return (
    <>
      <SweepsHead
        title="Tables"
        sweepIds={sweepIds}
        part={tabulatedPart}
        actions={<ShareButton shared={{ kind: "table", sweepIds, ...asked }} what="this table" />}
      />
      {data && <AnswerSentence text={data.sentence} />}
      <Button className="my-3" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? "Hide options" : "Options"}
      </Button>
      <div className={classes("grid gap-4", isOpen && "lg:grid-cols-[19rem_minmax(0,1fr)]")}>
        <div className={classes("min-w-0", !isOpen && "hidden")}>
          <OptionsPanel
            asked={asked}
            metrics={shown?.metrics ?? []}
            choices={shown?.choices}
            baseline={shown?.baseline ?? ""}
            onChange={change}
          />
        </div>
        <div className="min-w-0 space-y-4">
          {(!data || error) && <Analysing name="builtTable" input={input} query={query} className="h-96" />}
          {data && (
            <Busy isBusy={isPlaceholderData} className="space-y-4">
              <LeftOutNote leftOut={data.leftOut} />
              <TableView table={data.table} />
              <Output table={data.table} longCsv={data.longCsv} />
              <Proof hash={data.table.provenance.proof} numOpen={data.numOpen} />
            </Busy>
          )}
        </div>
      </div>
    </>
  );
}

function Output({ table, longCsv }: { table: Table; longCsv: string }) {
  const [format, setFormat] = useState<Format>("latex");
  const { text, extension, type } = printAs(format, table, longCsv);
  const fileName = nameFile([table.provenance.sweepName, table.label, format === "runs" ? "runs" : ""], extension);
  return (
    <Card title="Text" actions={<TextActions {...{ fileName, text, type }} />}>
      <Choice
        as="buttons"
        label="Format"
        options={formatChoices}
        value={format}
        onChange={setFormat}
        className="mb-2 flex-wrap"
      />
      <TextBlock fileName={fileName} text={text} label="Text of the table" className="max-h-96" />
    </Card>
  );
}

function Proof({ hash, numOpen }: { hash: string | undefined; numOpen: number }) {
  if (hash === undefined) {
    return (
      <p className="text-sm text-muted">
        This table cannot be verified yet:{" "}
        {numOpen === 0 ? "the table has no runs" : `${formatCount(numOpen, "run")} still in progress`}. Once all runs
        have ended, the studio computes a hash of the runs, options, numbers and code.
      </p>
    );
  }
  return <Verify key={hash} hash={hash} />;
}

function Verify({ hash }: { hash: string }) {
  const trpc = useTrpc();
  const [isAsked, setIsAsked] = useState(false);
  const { data, error, isFetching } = useQuery(trpc.table.verify.queryOptions({ hash }, { enabled: isAsked }));
  const command = `npx arlarena table verify ${hash}`;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-muted">Verify with</span>
      <code className="rounded bg-sunken px-1.5 py-0.5 break-all">{command}</code>
      <CopyButton text={command} />
      <ResultButton onClick={() => setIsAsked(true)} disabled={isFetching || data !== undefined}>
        {isFetching ? "Computing" : "Verify now"}
      </ResultButton>
      <span role="status" className={data?.isSame === true ? "text-good" : "text-bad"}>
        {data &&
          (data.isSame
            ? "Verified: the same runs give the same numbers."
            : "Not verified: the runs now give different numbers.")}
        {error && errorWords(error)}
      </span>
    </div>
  );
}
