import { tryJson } from "#trainer/spec/tryJson.ts";
import { type Command, Option } from "@commander-js/extra-typings";
import type { StatedGroup } from "#server/api/trainers/statements.ts";
import type { Database } from "#server/db/storage/client.ts";
import { AppError, formatCount } from "#packages/base";
import { findSweep, isRunId } from "../client/findSweep.ts";
import { append } from "../options.ts";
import type { Outcome, Performer, Screen } from "../command.ts";
import { toColumns } from "../views/columns.ts";

type Options = {
  name?: string | undefined;
  method?: string | undefined;
  environment?: string | undefined;
  set: readonly string[];
  proposed?: true | undefined;
  undo?: true | undefined;
};

export function addLabel(program: Command, { performInStudio }: Performer): void {
  program
    .command("label")
    .alias("state")
    .summary("set the method, environment and settings of imported runs")
    .description(
      "Sets the method, environment and settings of imported or received runs whose files do not state them. Findings, dimensions and tables then count these runs, marked as labelled. Without options it lists the runs by name, with their labels and the labels proposed from names and recorded configurations.",
    )
    .argument("<SWEEP|RUN>")
    .option("--name <NAME>", "only runs imported under this name")
    .option("--method <METHOD>", "a method's key, as in plans (grpo, gspo, …), or its four dimensions as JSON")
    .option("--environment <NAME>", "sokoban, alfworld, webshop, … or any name")
    .addOption(
      new Option("--set <PATH=VALUE>", "a hyperparameter, such as optimizer.learningRate=1e-6; may be repeated")
        .argParser(append)
        .default([]),
    )
    .addOption(
      new Option("--proposed", "set the proposed label of each name").conflicts(["method", "environment", "undo"]),
    )
    .addOption(new Option("--undo", "remove the labels").conflicts(["method", "environment"]))
    .action((subject, options) =>
      performInStudio(({ database }, screen) => label(database, { subject, ...options }, screen)),
    );
}

async function label(
  database: Database,
  { subject, ...options }: Options & { subject: string },
  screen: Screen,
): Promise<Outcome> {
  const [{ readStatements }, { stateRuns, withdrawStatements }, { parseStatement }] = await Promise.all([
    import("#server/api/trainers/statements.ts"),
    import("#server/db/trainers/statements.ts"),
    import("#server/domain/plan/sweep/stored/statement.ts"),
  ]);
  const scope = isRunId(subject) ? { runIds: [subject] } : { sweepIds: [(await findSweep(database, subject)).id] };
  const all = await readStatements(database, scope);
  if (all.length === 0)
    throw new AppError("bad_input", `${subject} has no imported or received run; only those can be labelled`);
  const groups = options.name === undefined ? all : all.filter(({ name }) => name === options.name);
  if (groups.length === 0) {
    const names = all.map(({ name }) => name).join(", ");
    throw new AppError(
      "not_found",
      `no run of ${subject} was imported as "${options.name ?? ""}"; known names: ${names}`,
    );
  }
  const ids = groups.flatMap(({ runIds }) => runIds);
  if (options.undo) {
    const { numRuns } = await withdrawStatements(database, ids);
    return { text: `labels of ${formatCount(numRuns, "run")} removed`, json: { numRuns }, exitCode: 0 };
  }
  if (options.proposed) {
    const known = groups.filter(({ proposal }) => proposal.sources.length > 0);
    let numRuns = 0;
    for (const { runIds, proposal } of known) {
      numRuns += (await stateRuns(database, { ids: runIds, statement: proposal.statement })).numRuns;
    }
    const left = groups.filter(({ proposal }) => proposal.sources.length === 0).map(({ name }) => name);
    const remarks = left.length > 0 ? [`no label is proposed for ${left.join(", ")}`] : [];
    const text = `${formatCount(numRuns, "run")} labelled as proposed`;
    return { text, json: { numRuns, left }, exitCode: 0, remarks };
  }
  const isAsked = options.method !== undefined || options.environment !== undefined || options.set.length > 0;
  if (!isAsked) return list(groups, screen);
  const { numRuns, numReseeded } = await stateRuns(database, { ids, statement: parseStatement(toStatement(options)) });
  const remarks =
    numReseeded > 0 ? [`${formatCount(numReseeded, "run")} with the next free seed: theirs was taken`] : [];
  return { text: `${formatCount(numRuns, "run")} labelled`, json: { numRuns, numReseeded }, exitCode: 0, remarks };
}

function list(groups: readonly StatedGroup[], screen: Screen): Outcome {
  const columns = ["NAME", { number: "RUNS" }, "LABEL", "PROPOSED"];
  const rows = groups.map(({ name, runIds, stated, proposal }) => [
    name,
    String(runIds.length),
    stated ?? "–",
    proposal.sources.length > 0
      ? `${JSON.stringify(proposal.statement)} (from the ${proposal.sources.join(" and the ")})`
      : "–",
  ]);
  return { text: toColumns(columns, rows, screen), json: { groups }, exitCode: 0 };
}

function toStatement({ method, environment, set }: Options): unknown {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const text of set) {
    const [, section = "", field = "", value = ""] = /^(\w+)\.(\w+)=(.*)$/.exec(text) ?? [];
    if (section === "") throw new AppError("bad_input", `--set ${text}: write PATH=VALUE, such as update.klCoef=0.01`);
    settings[section] = { ...settings[section], [field]: toValue(value) };
  }
  return {
    ...(method !== undefined && { method: method.startsWith("{") ? toValue(method) : method }),
    ...(environment !== undefined && { environment }),
    ...(set.length > 0 && { settings }),
  };
}

/** Parses a value as JSON; returns the text itself if it is not JSON. */
function toValue(text: string): unknown {
  const value = tryJson(text);
  return value === undefined ? text : value;
}
