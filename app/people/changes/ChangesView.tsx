"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { AnswerSentence } from "#app/_components/AnswerSentence.tsx";
import { formatCount, groupBy } from "#packages/base";
import { PageHead } from "#app/_components/PageHead.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { typedPart } from "#app/_ui/address.ts";
import { Busy } from "#app/_ui/Busy.tsx";
import { Button } from "#app/_ui/Button.tsx";
import { EmptyState } from "#app/_ui/Notice.tsx";
import { Input } from "#app/_ui/Input.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import type { Change } from "#server/db/people/changes.ts";
import type { Piece } from "#server/domain/people/sayChange.ts";
import { Link } from "#app/_ui/Link.tsx";
import { Ago } from "#app/_components/Ago.tsx";
import { Cell, Head, HeadCell, Table } from "#app/_ui/Table.tsx";

const wordsPart = typedPart("q");
/** Number of log of changes entries in a full answer of the server; after a shorter answer, there are no older entries. */
const pageSize = 100;

export function ChangesView() {
  const trpc = useTrpc();
  const [words, setWords] = useAddress(wordsPart);
  // For each further page of the log, the id before which it starts; empty while the newest page is shown.
  const [pages, setPages] = useState<readonly number[]>([]);
  const before = pages.at(-1);
  const asked = { words: useDeferredValue(words).slice(0, 200), ...(before !== undefined && { before }) };
  const { data: entries, isPlaceholderData } = useQuery(
    trpc.changes.list.queryOptions(asked, { placeholderData: keepPreviousData, refetchInterval: 10_000 }),
  );
  const last = entries?.at(-1);
  const hasOlder = entries?.length === pageSize;
  return (
    <>
      <PageHead title="Changes">
        Who changed what in a browser, on the command line, or with a token, newest first; refused changes too.
      </PageHead>
      <Input
        type="search"
        className="mb-4 max-w-96"
        aria-label="Words in an entry"
        placeholder="Find: cancel, a person, a name"
        value={words}
        onChange={(event) => {
          setPages([]);
          setWords(event.target.value);
        }}
      />
      {entries?.length === 0 ? (
        <EmptyState title="No entries">
          {words === "" ? "Nobody has changed anything yet." : "No change contains all these words."}
        </EmptyState>
      ) : (
        entries && (
          <Busy isBusy={isPlaceholderData} className="space-y-4">
            <AnswerSentence text={sumUp(entries, hasOlder || pages.length > 0)} />
            <ChangeTable entries={entries} />
          </Busy>
        )
      )}
      <div className="mt-3 flex gap-2">
        {pages.length > 0 && <Button onClick={() => setPages(pages.slice(0, -1))}>Newer</Button>}
        {last !== undefined && hasOlder && <Button onClick={() => setPages([...pages, last.id])}>Older</Button>}
      </div>
    </>
  );
}

/** Counts the changes on the page by person or program, those with most changes first, and the refused ones. */
export function sumUp(entries: readonly Pick<Change, "who" | "problem">[], isPart: boolean): string {
  const maxNamed = 3;
  const counts = [...groupBy(entries, ({ who }) => who)]
    .map(([who, own]) => ({ who, count: own.length }))
    .toSorted((a, b) => b.count - a.count);
  const nameOf = (who: string) => (who === "browser" || who === "command line" ? `the ${who}` : who);
  const named = counts.slice(0, maxNamed).map(({ who, count }) => `${count} by ${nameOf(who)}`);
  const rest = entries.length - counts.slice(0, maxNamed).reduce((sum, { count }) => sum + count, 0);
  const numRefused = entries.filter(({ problem }) => problem !== null).length;
  const parts = [...named, ...(rest > 0 ? [`${rest} by others`] : [])].join(", ");
  return `${formatCount(entries.length, "change")}${isPart ? " on this page" : ""}: ${parts}; ${numRefused === 0 ? "none" : numRefused} refused.`;
}

type Told = Change & { sentence: Piece[] };

/** Joins changes in a row that one person made in the same words; the newest stands for them. */
export function joinRepeated(entries: readonly Told[]): (Told & { times: number })[] {
  const textOf = ({ who, problem, sentence }: Told) => JSON.stringify([who, problem, sentence]);
  const joined: (Told & { times: number })[] = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    if (last && textOf(last) === textOf(entry)) last.times++;
    else joined.push({ ...entry, times: 1 });
  }
  return joined;
}

function ChangeTable({ entries }: { entries: readonly Told[] }) {
  return (
    <Table caption="Changes, the newest first">
      <Head
        cells={[
          <HeadCell key="when" className="w-px">
            When
          </HeadCell>,
          <HeadCell key="who" className="w-px max-sm:hidden">
            Who
          </HeadCell>,
          "Change",
        ]}
      />
      <tbody>
        {joinRepeated(entries).map(({ id, at, who, sentence, problem, times }) => (
          <tr key={id}>
            <Cell className="whitespace-nowrap text-muted">
              <Ago at={at} />
              <div className="text-text sm:hidden">{who}</div>
            </Cell>
            <Cell className="pr-8 whitespace-nowrap max-sm:hidden">{who}</Cell>
            <Cell className="min-w-40 wrap-anywhere">
              {problem !== null && "Refused: "}
              {sentence.map(({ text, path }, i) =>
                path === undefined ? (
                  text
                ) : (
                  <Link key={i} href={path} className="text-accent hover:underline">
                    {text}
                  </Link>
                ),
              )}
              {times > 1 && <span className="text-muted"> ({times} times in a row)</span>}
              {problem !== null && <div className="text-sm text-bad">{problem}</div>}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
