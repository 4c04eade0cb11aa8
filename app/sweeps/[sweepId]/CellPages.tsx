"use client";
import { Button } from "#app/_ui/Button.tsx";
import { Input } from "#app/_ui/Input.tsx";
import type { prepareCellPage } from "./prepareCellPage.ts";

type Props = {
  found: ReturnType<typeof prepareCellPage>;
  numCells: number;
  words: string;
  onWords: (words: string) => void;
  onPage: (page: number) => void;
};

/** Search and paging of a large sweep's configurations, for the grid and for the curves below it. */
export function CellPages({ found, numCells, words, onWords, onPage }: Props) {
  const { shown, numFound, page, numPages, from } = found;
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <div className="w-64 max-w-full">
        <Input
          type="search"
          aria-label="Find configurations"
          placeholder="Find: gspo learning rate 3e-4"
          value={words}
          onChange={({ target }) => onWords(target.value)}
        />
      </div>
      <span className="text-muted" aria-live="polite">
        {numFound === 0
          ? "No configuration matches."
          : `Configurations ${from + 1}–${from + shown.length} of ${numFound.toLocaleString("en-US")}${numFound < numCells ? ` found among ${numCells.toLocaleString("en-US")}` : ""}, and their curves`}
      </span>
      <span className="ml-auto flex items-center gap-2">
        <Button disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <span className="tabular-nums">
          {page + 1} / {numPages}
        </span>
        <Button disabled={page + 1 >= numPages} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </span>
    </div>
  );
}
