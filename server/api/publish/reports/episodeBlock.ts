import { readSample, readSampleIndex, type SampleHead } from "../../runs/samples.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readAttemptFolder, readAttemptFolders, readRun } from "#server/db/runs/runs.ts";
import { AppError, formatCount } from "#packages/base";
import type { FieldsOf } from "#server/domain/publish/reports/blocks.ts";
import { escapeHtml } from "#server/domain/publish/tables/html.ts";
import { shortLabel } from "#server/domain/plan/sweep/labelTitles.ts";

type EpisodeBlock = FieldsOf<"episode">;

/** An evaluation episode by turn: observation, response and reward. */
export async function renderEpisode(database: Database, block: EpisodeBlock): Promise<string> {
  const { run: runId, turns: maxTurns } = block;
  const run = await readRun(database, runId);
  const { episodes } = await readSampleIndex(await readAttemptFolders(database, runId));
  const head = findEpisode(episodes, block);
  const episode = await readSample(await readAttemptFolder(database, runId, head.attempt), head.line);
  const title = `${[run.cell.method, shortLabel(run.cell.label)].filter(Boolean).join(" · ")}, seed ${run.seed}, iteration ${head.iteration}, task ${head.seed}`;
  const end = `${head.isSuccess ? "✓ Success" : "✕ No success"}, reward ${head.episodeReward}, ${formatCount(head.numTurns, "turn")}`;
  const items = episode.turns.slice(0, maxTurns).map(({ prompt, response, reward, isFormatValid, isActionValid }) => {
    const invalid = isFormatValid ? (isActionValid ? "" : "; the action is invalid") : "; the format is invalid";
    const wrote = response.map(({ token }) => token).join("");
    return `<li><pre tabindex="0">${escapeHtml(prompt)}</pre><pre class="wrote" tabindex="0">${escapeHtml(wrote)}</pre><small>Reward ${reward}${invalid}</small></li>`;
  });
  const more = episode.turns.length - items.length;
  return [
    `<figure class="episode"><figcaption><b>${escapeHtml(title)}</b> <small>${escapeHtml(end)}</small></figcaption>`,
    `<ol>${items.join("")}</ol>`,
    more > 0 ? `<p class="note">${formatCount(more, "more turn")} not shown.</p>` : "",
    "</figure>",
  ].join("");
}

function findEpisode(episodes: readonly SampleHead[], { run, iteration, number }: EpisodeBlock): SampleHead {
  const wanted = iteration ?? episodes.at(-1)?.iteration;
  const there = episodes.filter((episode) => episode.iteration === wanted);
  const found = there[number - 1];
  if (found) return found;
  if (wanted === undefined) throw new AppError("not_found", `run ${run} kept no episodes`);
  if (there.length > 0)
    throw new AppError(
      "not_found",
      `number is ${number}: iteration ${wanted} has ${formatCount(there.length, "episode")}`,
    );
  const known = [...new Set(episodes.map((episode) => episode.iteration))];
  throw new AppError(
    "not_found",
    `run ${run} has no episodes of iteration ${wanted}; it has some of ${known.slice(0, 20).join(", ")}`,
  );
}
