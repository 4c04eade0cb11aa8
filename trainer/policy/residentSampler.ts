import { makeResidentSession, type Feeds, type ResidentSession, type SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "./config.ts";
import { compactGraph, continueGraph, startGraph, type ResidentGraph } from "./residentGraphs.ts";
import {
  append,
  drawFeeds,
  layOut,
  seat,
  slotted,
  toResponse,
  type Batch,
  type Cache,
  type Chosen,
  type Row,
} from "./residentRows.ts";
import { prefillCount, rowBucket, type Sampler, type Response, type SamplerLimits } from "./sampling.ts";

type Place = { readonly config: PolicyConfig; readonly limits: SamplerLimits; readonly options: SessionOptions };
type Pass = { readonly graph: () => ResidentGraph; readonly feeds: Feeds };
/** Runs a graph for a batch. The resulting cache replaces the previous one. */
type Runner = (batch: Batch, key: string, pass: Pass) => Promise<Chosen>;

/**
 * Batched sampling with cache and choice on a device. A step uploads a token, a position and a uniform number per row.
 * It reads back a token, its log-probability and its entropy. Requests with noise on logits go to `host`.
 */
export function makeResidentSampler(place: Place, host: Sampler): Sampler {
  const { limits, options } = place;
  const sessions = new Map<string, Promise<ResidentSession<string, string>>>();
  const run: Runner = async (batch, key, { graph, feeds }) => {
    const name = `${key} ${Object.values(batch.kind).join(" ")}`;
    const session = sessions.get(name) ?? open(graph(), options);
    sessions.set(name, session);
    const { read, kept } = await (await session).run({ ...batch.request.parameters, ...batch.cache, ...feeds });
    release(batch.cache);
    batch.cache = kept;
    return read;
  };
  const decode = async (batch: Batch): Promise<Response[]> => {
    try {
      await start(place, run, batch);
      const isGoing = (): boolean => batch.rows.some(({ isDone }) => !isDone);
      for (let i = 1; i < limits.maxResponseTokens && isGoing(); i++) await step(place, run, batch);
      return batch.rows.map(toResponse);
    } finally {
      release(batch.cache);
    }
  };
  return {
    async sample(request) {
      if (request.noises) return host.sample(request);
      const responses: Response[] = [];
      for (let first = 0; first < request.prompts.length; first += limits.batch) {
        responses.push(...(await decode(seat(request, first, limits))));
      }
      return responses;
    },
    async close() {
      for (const session of sessions.values()) await (await session).close();
      sessions.clear();
      await host.close();
    },
  };
}

/** Reads the prompts, window by window, and chooses the first token of every row. */
async function start({ config, limits }: Place, run: Runner, batch: Batch): Promise<void> {
  const { prompts, promptTokens, cacheTokens, kind, slots, numSlots: numRows } = batch;
  const numPrompts = prefillCount(prompts.length, promptTokens, limits.batch);
  for (let first = 0; first < prompts.length; first += numPrompts) {
    const isFirst = first === 0;
    const isStarting = ({ promptIndex }: Row): boolean => promptIndex >= first && promptIndex < first + numPrompts;
    const starting = slots.filter(isStarting);
    const chosen = await run(batch, `start ${numPrompts} ${promptTokens} ${numRows} ${cacheTokens} ${isFirst}`, {
      graph: () => startGraph(config, { numPrompts, promptTokens, numRows, cacheTokens }, { ...kind, isFirst }),
      feeds: {
        ...layOut(prompts.slice(first, first + numPrompts), { numPrompts, promptTokens }),
        source: slotted(batch, (row) => (isStarting(row) ? row.promptIndex - first : 0)),
        isStarting: Float32Array.from(slotted(batch, (row) => Number(isStarting(row)))),
        ...drawFeeds(batch, starting),
      },
    });
    append(batch, starting, chosen);
  }
}

/** Decodes the next token of every unfinished row, in fewer slots where possible. */
async function step({ config, limits }: Place, run: Runner, batch: Batch): Promise<void> {
  const active = batch.slots.filter(({ isDone }) => !isDone);
  const fewer = rowBucket(active.length, limits.batch);
  const { cacheTokens, kind } = batch;
  if (fewer < batch.numSlots) {
    const seats = new Int32Array(fewer);
    for (const [i, row] of active.entries()) seats[i] = batch.slots.indexOf(row);
    const shape = { numRows: batch.numSlots, cacheTokens };
    const graph = (): ResidentGraph => compactGraph(config, shape, fewer);
    await run(batch, `compact ${batch.numSlots} ${fewer} ${cacheTokens}`, { graph, feeds: { seats } });
    batch.slots = active;
    batch.numSlots = fewer;
  }
  const { numSlots: numRows } = batch;
  const tokenPositions = slotted(batch, ({ isDone, prompt, tokens }) =>
    isDone ? 0 : prompt.length + tokens.length - 1,
  );
  const chosen = await run(batch, `continue ${numRows} ${cacheTokens}`, {
    graph: () => continueGraph(config, { numRows, cacheTokens }, kind),
    feeds: {
      tokens: slotted(batch, ({ isDone, tokens }) => (isDone ? 0 : (tokens.at(-1) ?? 0))),
      tokenPositions,
      lengths: Float32Array.from(tokenPositions),
      ...drawFeeds(batch, active),
    },
  });
  append(batch, active, chosen);
}

function open({ read, kept }: ResidentGraph, options: SessionOptions): Promise<ResidentSession<string, string>> {
  return makeResidentSession(read, kept, options);
}

function release(cache: Cache): void {
  for (const tensor of Object.values(cache)) tensor.close();
}
