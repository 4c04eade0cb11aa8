import { matches, parseFilter, type Clause, type Facts, type Vocabulary, subjectOf, valueOf } from "./filter.ts";
import type { View } from "./messages.ts";
import { AppError } from "#packages/base";
import { cutFilter, readField } from "./filterTokens.ts";
import type { KeyValue, Stage, TrackedExperiment, TrackedRun, TrackingStore } from "./store.ts";

type Search = {
  filter: string;
  order_by: readonly string[];
  max_results?: number | null | undefined;
  page_token: number;
};

export type Page<Item> = { items: readonly Item[]; next: { next_page_token?: string } };

const runNames: Vocabulary = {
  entities: ["attribute", "tag", "parameter", "metric", "dataset"],
  attributes: {
    run_id: "text",
    run_name: "text",
    status: "text",
    user_id: "text",
    artifact_uri: "text",
    start_time: "number",
    end_time: "number",
  },
  aliases: {
    created: "start_time",
    Created: "start_time",
    "run name": "run_name",
    "Run name": "run_name",
    "Run Name": "run_name",
  },
};

const experimentNames: Vocabulary = {
  entities: ["attribute", "tag"],
  attributes: { experiment_id: "text", name: "text", creation_time: "number", last_update_time: "number" },
  aliases: {},
};

export async function searchRuns(
  store: TrackingStore,
  search: Search & { experiment_ids: readonly string[]; run_view_type: View },
): Promise<Page<TrackedRun>> {
  const plan = planOf(search, runNames);
  const found = await store.listRuns(search.experiment_ids);
  const seen = found.filter(({ stage }) => isSeen(stage, search.run_view_type));
  // Metrics are read only for the runs on the returned page, unless the filter or the order needs them.
  const needsMetrics = [...plan.clauses, ...plan.orders].some(({ entity }) => entity === "metric");
  const { items, next } = choose(needsMetrics ? await store.addMetrics(seen) : seen, search, {
    ...plan,
    factsOf: runFacts,
  });
  return { items: needsMetrics ? items : await store.addMetrics(items), next };
}

export async function searchExperiments(
  store: TrackingStore,
  search: Search & { view_type: View },
): Promise<Page<TrackedExperiment>> {
  const plan = planOf(search, experimentNames);
  const seen = (await store.listExperiments()).filter(({ stage }) => isSeen(stage, search.view_type));
  return choose(seen, search, { ...plan, factsOf: experimentFacts });
}

export function pageOf<Item>(
  items: readonly Item[],
  { page_token: from, max_results }: Pick<Search, "max_results" | "page_token">,
): Page<Item> {
  const end = from + (max_results ?? 1000);
  return { items: items.slice(from, end), next: end < items.length ? { next_page_token: String(end) } : {} };
}

type Plan = { clauses: readonly Clause[]; orders: readonly Order[] };

function planOf({ filter, order_by }: Search, vocabulary: Vocabulary): Plan {
  return { clauses: parseFilter(filter, vocabulary), orders: order_by.map((text) => parseOrder(text, vocabulary)) };
}

function choose<Item>(
  items: readonly Item[],
  search: Search,
  { clauses, orders, factsOf }: Plan & { factsOf: (item: Item) => Facts },
): Page<Item> {
  const left = clauses.length === 0 ? items : items.filter((item) => matches(clauses, factsOf(item)));
  return pageOf(orders.length === 0 ? left : sortBy(left, orders, factsOf), search);
}

function isSeen(stage: Stage, view: View): boolean {
  return view === "ALL" || (stage === "active") === (view === "ACTIVE_ONLY");
}

function runFacts(run: TrackedRun): Facts {
  const contextOf = (tags: readonly KeyValue[]) => tags.find(({ key }) => key === "mlflow.data.context")?.value;
  return {
    attribute: {
      run_id: run.id,
      run_name: run.name,
      status: run.status,
      user_id: "",
      artifact_uri: artifactUri(run),
      start_time: run.startedAtMs,
      end_time: run.endedAtMs,
    },
    tag: toMap([...run.tags, { key: "mlflow.runName", value: run.name }]),
    parameter: toMap(run.params),
    metric: new Map(run.metrics.map(({ key, value }) => [key, value])),
    dataset: run.inputs.map(({ tags, dataset }) => ({ ...dataset, context: contextOf(tags) })),
  };
}

function experimentFacts({ id, name, createdAtMs, tags }: TrackedExperiment): Facts {
  return {
    attribute: { experiment_id: id, name, creation_time: createdAtMs, last_update_time: createdAtMs },
    tag: toMap(tags),
    parameter: new Map(),
    metric: new Map(),
    dataset: [],
  };
}

export function artifactUri({ experimentId, id }: Pick<TrackedRun, "experimentId" | "id">): string {
  return `mlflow-artifacts:/${experimentId}/${id}/artifacts`;
}

function toMap(pairs: readonly KeyValue[]): ReadonlyMap<string, string> {
  return new Map(pairs.map(({ key, value }) => [key, value]));
}

type Order = { entity: Exclude<keyof Facts, "dataset">; key: string; isAscending: boolean };

/** Parses an entry of `order_by`: a name, optionally followed by ASC or DESC. Throws `bad_input` otherwise. */
export function parseOrder(text: string, vocabulary: Vocabulary): Order {
  return readField("order_by", () => {
    const [name, direction, ...rest] = cutFilter(text);
    const way = direction === undefined ? "ASC" : direction.text.toUpperCase();
    if (name?.kind !== "name" || rest.length > 0 || !["ASC", "DESC"].includes(way)) {
      throw new AppError("bad_input", `"${text.slice(0, 100)}" is not of the form name, then ASC or DESC`);
    }
    const { entity, key } = subjectOf(name.parts, vocabulary);
    if (entity === "dataset")
      throw new AppError("bad_input", `"${text.slice(0, 100)}": runs cannot be ordered by a dataset`);
    return { entity, key, isAscending: way === "ASC" };
  });
}

/** Sorts items by the first order, ties by the second, and so on. NaN and then missing values always come last. */
export function sortBy<Item>(
  items: readonly Item[],
  orders: readonly Order[],
  factsOf: (item: Item) => Facts,
): readonly Item[] {
  const keyed = items.map((item) => {
    const facts = factsOf(item);
    return { item, values: orders.map((order) => valueOf(facts, order)) };
  });
  keyed.sort((a, b) => {
    for (const [i, { isAscending }] of orders.entries()) {
      const [x, y] = [a.values[i], b.values[i]];
      const byRank = rank(x) - rank(y);
      if (byRank !== 0) return byRank;
      if (x === undefined || y === undefined || x === y || rank(x) > 0) continue;
      return x < y === isAscending ? -1 : 1;
    }
    return 0;
  });
  return keyed.map(({ item }) => item);
}

function rank(value: string | number | undefined): number {
  if (value === undefined) return 2;
  return typeof value === "number" && Number.isNaN(value) ? 1 : 0;
}
