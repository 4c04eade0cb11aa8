import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import type { Field } from "#server/domain/runs/table/field.ts";
import type { RunView } from "#server/domain/runs/table/scope.ts";
import { quote } from "#server/domain/runs/table/splitWords.ts";
import { type AddressPart, sweepsPart } from "#app/_ui/address.ts";

const names = { filter: "q", columns: "cols", order: "sort", groupBy: "by" } as const;

/** URL parameters of the table's view; defaults are omitted. No columns means the default columns. */
export const viewPart: AddressPart<RunView> = {
  parse: (query) => ({
    filter: (query.get(names.filter) ?? "").slice(0, 2000),
    columns: readList(query.get(names.columns)).slice(0, 60),
    order: readList(query.get(names.order))
      .slice(0, 4)
      .map((text) => ({ field: text.replace(/^-/, ""), isDescending: text.startsWith("-") })),
    groupBy: readList(query.get(names.groupBy)).slice(0, 4),
  }),
  write: (query, { filter, columns, order, groupBy }) => {
    const written = new URLSearchParams(query);
    const set = (name: string, text: string) => (text === "" ? written.delete(name) : written.set(name, text));
    set(names.filter, filter);
    set(names.columns, writeList(columns));
    set(names.order, writeList(order.map(({ field, isDescending }) => `${isDescending ? "-" : ""}${field}`)));
    set(names.groupBy, writeList(groupBy));
    return written;
  },
  continuous: [names.filter],
};

/** Chosen sweeps in the URL, to which the table is restricted. */
export const chosenSweeps = sweepsPart([]);

/** Restricts a filter to the runs of some sweeps; none means all. */
export function filterWithin(filter: string, sweepIds: readonly string[]): string {
  return sweepIds.length === 0 ? filter : `${filter} sweepId=${sweepIds.map(quote).join(",")}`.trim();
}

export function toQuery(view: RunView): string {
  return viewPart.write(new URLSearchParams(), view).toString();
}

function readList(text: string | null): string[] {
  const items = (text ?? "").split(",").filter((item) => item !== "");
  return [...new Set(items.map((item) => item.replaceAll("%2C", ",").replaceAll("%25", "%")))];
}

function writeList(items: readonly string[]): string {
  return items.map((item) => item.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

const usual = ["alarm", "sweep", "environment", "iteration", "duration", "state", "tags", "created"];

/** Returns the default columns: what happened, evaluation and training success, if logged, then `usual`. */
export function usualColumns(fields: readonly Field[]): string[] {
  const known = new Set(fields.map(({ key }) => key));
  const metrics = [heldOutSuccess, trainingSuccess].flatMap((keys) => {
    const metric = keys.find((key) => known.has(`final.${key}`));
    return metric === undefined ? [] : [`final.${metric}`];
  });
  return ["hindsight", ...metrics, ...usual];
}

export const windowLength = 100;
