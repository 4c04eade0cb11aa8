import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { nameTask } from "#server/domain/environments/taskSeed.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { formatCount } from "#app/_charts/format.ts";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { textPart } from "#app/_ui/address.ts";
import { useAddress } from "#app/_ui/useAddress.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Button } from "#app/_ui/Button.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import type { PlayFrom } from "../_play/PlayView.tsx";
import type { EpisodeHead } from "#server/api/runs/episodes.ts";
import { Checkbox } from "#app/_ui/Input.tsx";
import { Choice, ChoiceBeside } from "#app/_ui/Choice.tsx";
import { classes } from "#app/_ui/classes.ts";
import { Icon } from "#app/_ui/Icon.tsx";
import { Episode } from "./Episode.tsx";

/** Iteration and task of the episode to which a link leads. */
const linkedPart = textPart("episode");

/** Viewer for the recorded evaluation episodes of a run. */
export function EpisodesView({ run, onPlay }: { run: RunDetail; onPlay: (from: PlayFrom) => void }) {
  const trpc = useTrpc();
  const [filter, setFilter] = useState(noFilter);
  const [chosen, setChosen] = useState<string>();
  const [linked] = useAddress(linkedPart);
  const refetchInterval = isOver(run.status) ? false : 5000;
  const { data, error } = useQuery(trpc.run.episodes.queryOptions({ id: run.id }, { refetchInterval, staleTime: 0 }));
  const problem = error && <Notice tone="bad">{errorWords(error)}</Notice>;
  // Keeps loaded episodes readable if newer episodes cannot be fetched.
  if (!data) return problem ?? <Skeleton className="h-96" />;
  if (data.episodes.length === 0) return <NoEpisodes run={run} />;
  const episodes = filterEpisodes(data.episodes, filter);
  // Shows the address's or the list's first episode until the reader chooses one, and if the filter excludes the chosen one.
  const head =
    episodes.find((episode) => keyOf(episode) === chosen) ??
    episodes.find(({ iteration, seed }) => `${iteration}.${seed}` === linked) ??
    episodes[0];
  return (
    <section aria-label="Episodes">
      {problem}
      <p className="mb-3 text-base">{sayEpisodes(data.episodes)}</p>
      <EpisodeFilters all={data.episodes} numShown={episodes.length} filter={filter} onChange={setFilter} />
      {data.numUnreadable > 0 && (
        <Notice tone="warn">{formatCount(data.numUnreadable, "line")} of samples.jsonl could not be read.</Notice>
      )}
      {data.isCut && (
        <Notice tone="warn">samples.jsonl is too long to be read completely, so later episodes are missing.</Notice>
      )}
      {head ? (
        <div className="mt-3 grid gap-4 lg:grid-cols-[17rem_minmax(0,1fr)]">
          <EpisodeList episodes={episodes} chosen={head} onChoose={(episode) => setChosen(keyOf(episode))} />
          <Episode key={keyOf(head)} run={run} head={head} onRead={() => setChosen(keyOf(head))} onPlay={onPlay} />
        </div>
      ) : (
        <EmptyState
          title="No matches"
          actions={
            <Button onClick={() => setFilter(noFilter)}>Show all {formatCount(data.episodes.length, "episode")}</Button>
          }
        />
      )}
    </section>
  );
}

function NoEpisodes({ run }: { run: RunDetail }) {
  return (
    <EmptyState title="No episodes">
      {isImported(run.spec)
        ? "The imported files contain no episodes. verl writes rollouts to trainer.rollout_data_dir: import those files with the logs."
        : run.spec.execution.numSamples === 0
          ? "This run records no episodes (execution.numSamples is 0)."
          : isOver(run.status)
            ? "The studio's server has no episodes of this run: no attempt's folder contains samples.jsonl."
            : "Episodes are recorded at every evaluation. The studio's server has no episodes of this run yet."}
    </EmptyState>
  );
}

function keyOf({ attempt, line }: { attempt: number; line: number }): string {
  return `${attempt}.${line}`;
}

type Props = {
  all: readonly EpisodeHead[];
  numShown: number;
  filter: EpisodeFilter;
  onChange: (filter: EpisodeFilter) => void;
};

const outcomes = [
  { value: "all", label: "Any outcome" },
  { value: "solved", label: "Solved" },
  { value: "failed", label: "Not solved" },
] as const;

function EpisodeFilters({ all, numShown, filter, onChange }: Props) {
  const { iterations, taskTypes } = choicesOf(all);
  const change = (changed: Partial<EpisodeFilter>) => onChange({ ...filter, ...changed });
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <ChoiceBeside
        label="Iteration"
        options={withAll("all iterations", iterations.map(String))}
        value={String(filter.iteration ?? "")}
        onChange={(text) => change({ iteration: text === "" ? undefined : Number(text) })}
      />
      <Choice
        as="buttons"
        label="Outcome"
        options={outcomes}
        value={filter.outcome}
        onChange={(outcome) => change({ outcome })}
      />
      {taskTypes.length > 0 && (
        <ChoiceBeside
          label="Task type"
          options={withAll("all types", taskTypes)}
          value={filter.taskType ?? ""}
          onChange={(type) => change({ taskType: type === "" ? undefined : type })}
        />
      )}
      <Checkbox
        label="With an invalid turn"
        checked={filter.isInvalidOnly}
        onChange={({ target }) => change({ isInvalidOnly: target.checked })}
      />
      <span className="text-muted" role="status">
        {numShown === all.length
          ? formatCount(numShown, "episode")
          : `${numShown} of ${formatCount(all.length, "episode")}`}
      </span>
    </div>
  );
}

function withAll(all: string, values: readonly string[]) {
  return [{ value: "", label: all }, ...values.map((value) => ({ value, label: value }))];
}

type EpisodeListProps = {
  episodes: readonly EpisodeHead[];
  chosen: EpisodeHead;
  onChoose: (episode: EpisodeHead) => void;
};

/** Number of episodes that the list shows at first, and that each click on "show more" adds. */
const page = 200;

function EpisodeList({ episodes, chosen, onChoose }: EpisodeListProps) {
  const [numPages, setNumPages] = useState(1);
  const shown = episodes.slice(0, numPages * page);
  return (
    <nav aria-label="Choose an episode" className="min-w-0">
      <ul className="relative flex max-h-36 flex-col overflow-y-auto rounded-lg border border-line bg-surface lg:max-h-[40rem]">
        {shown.map((episode, i) => (
          <li key={`${episode.attempt} ${episode.line}`}>
            {episode.iteration !== shown[i - 1]?.iteration && (
              <p className="sticky top-0 border-b border-line bg-sunken px-3 py-1 text-xs text-muted">
                Iteration {episode.iteration}
              </p>
            )}
            <EpisodeRow episode={episode} isChosen={episode === chosen} onChoose={() => onChoose(episode)} />
          </li>
        ))}
        {shown.length < episodes.length && (
          <li className="p-2 text-center">
            <Button kind="quiet" onClick={() => setNumPages(numPages + 1)}>
              {shown.length} of {formatCount(episodes.length, "episode")}: show more
            </Button>
          </li>
        )}
      </ul>
    </nav>
  );
}

type RowProps = { episode: EpisodeHead; isChosen: boolean; onChoose: () => void };

function EpisodeRow({ episode, isChosen, onChoose }: RowProps) {
  const { isSuccess, seed, taskType, numTurns, numInvalid } = episode;
  return (
    <button
      type="button"
      aria-current={isChosen}
      onClick={onChoose}
      className={classes(
        "flex w-full items-baseline gap-x-2 px-3 py-1.5 text-left text-sm",
        isChosen ? "bg-accent/12" : "hover:bg-sunken",
      )}
    >
      <Icon
        name={isSuccess ? "check" : "cross"}
        className={classes("size-3.5 shrink-0 self-center", isSuccess ? "text-good" : "text-bad")}
      />
      <span className="sr-only">{isSuccess ? "Solved: " : "Not solved: "}</span>
      <span className={classes("grow truncate", isChosen && "font-medium")}>
        {[taskType, nameTask(seed)].filter(Boolean).join(", ")}
      </span>
      <span className="text-xs whitespace-nowrap text-muted">
        {formatCount(numTurns, "turn")}
        {numInvalid > 0 && <span className="text-warn">, {numInvalid} invalid</span>}
      </span>
    </button>
  );
}

type EpisodeFilter = {
  iteration: number | undefined;
  outcome: "all" | "solved" | "failed";
  /** True to keep only episodes that contain a turn with an invalid format or action. */
  isInvalidOnly: boolean;
  taskType: string | undefined;
};

export const noFilter: EpisodeFilter = {
  iteration: undefined,
  outcome: "all",
  isInvalidOnly: false,
  taskType: undefined,
};

/** Returns matching episodes, newest iteration first; episodes of one iteration keep the order of the file. */
export function filterEpisodes(episodes: readonly EpisodeHead[], filter: EpisodeFilter): EpisodeHead[] {
  return episodes.filter((episode) => isIn(episode, filter)).toSorted((a, b) => b.iteration - a.iteration);
}

function isIn(
  { iteration, isSuccess, numInvalid, taskType }: EpisodeHead,
  { isInvalidOnly, outcome, ...wanted }: EpisodeFilter,
): boolean {
  return (
    (wanted.iteration === undefined || iteration === wanted.iteration) &&
    (wanted.taskType === undefined || taskType === wanted.taskType) &&
    (outcome === "all" || isSuccess === (outcome === "solved")) &&
    (!isInvalidOnly || numInvalid > 0)
  );
}

/** Says how many recorded episodes were solved, and how that changed from the first recorded iteration to the last. */
export function sayEpisodes(episodes: readonly EpisodeHead[]): string {
  const count = (some: readonly EpisodeHead[]) =>
    `${some.filter(({ isSuccess }) => isSuccess).length} of ${some.length}`;
  const { iterations } = choicesOf(episodes);
  const at = (iteration: number) =>
    `${count(episodes.filter((one) => one.iteration === iteration))} at iteration ${iteration}`;
  const [last, first] = [iterations[0], iterations.at(-1)];
  const course =
    iterations.length > 1 && first !== undefined && last !== undefined ? `: ${at(first)}, ${at(last)}` : "";
  return `${count(episodes)} recorded episodes solved${course}.`;
}

/** Returns the episodes' iterations (newest first) and task types (by name). */
export function choicesOf(episodes: readonly EpisodeHead[]): { iterations: number[]; taskTypes: string[] } {
  return {
    iterations: [...new Set(episodes.map(({ iteration }) => iteration))].toSorted((a, b) => b - a),
    taskTypes: [...new Set(episodes.flatMap(({ taskType }) => taskType ?? []))].toSorted(),
  };
}
