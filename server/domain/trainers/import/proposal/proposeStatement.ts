import { environments } from "#trainer/spec/environment.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { Method } from "#trainer/spec/methodSchema.ts";
import { findPublished } from "#server/domain/plan/sweep/methods/acting.ts";
import { guessIdentity, unnamedEnvironment } from "../guessIdentity.ts";
import { StatedSettings, type Statement } from "#server/domain/plan/sweep/stored/statement.ts";
import { readRecorded, type Configured } from "./recorded.ts";
import { fromTrl } from "./trl.ts";
import { fromVerl } from "./verl.ts";

export type Proposal = {
  statement: Statement;
  /** Sources of the proposal: "the configuration", "the name", or both. If empty, nothing can be proposed. */
  sources: readonly ("configuration" | "name")[];
};

export type Proposed = { name: string; environment: string; params: Readonly<Record<string, string>> };

/** Proposes what a user may confirm about another trainer's runs, from their configuration (TRL, verl) and name. */
export function proposeStatement({ name, environment, params }: Proposed): Proposal {
  const recorded = readRecorded(params);
  const configured = fromVerl(recorded) ?? fromTrl(recorded);
  const ofConfiguration = configured ? check(configured) : {};
  const guess = guessIdentity(name);
  const named = methodNames.find((one) => methods[one].title === guess.method);
  const ofName: Statement = {
    ...(named !== undefined && ofConfiguration.method === undefined && { method: named }),
    ...(guess.environment !== unnamedEnvironment &&
      environment === unnamedEnvironment &&
      ofConfiguration.environment === undefined && { environment: guess.environment }),
  };
  const isSaid = (part: Statement) => Object.keys(part).length > 0;
  return {
    statement: { ...ofConfiguration, ...ofName },
    sources: [
      ...(isSaid(ofConfiguration) ? (["configuration"] as const) : []),
      ...(isSaid(ofName) ? (["name"] as const) : []),
    ],
  };
}

function check({ method, environment, settings }: Configured): Statement {
  const parsed = Method.safeParse(method);
  const id = Object.keys(environments).find((one) => environment?.toLowerCase().includes(one.toLowerCase()));
  const kept = Object.entries(settings ?? {}).filter(
    ([section, fields]) => StatedSettings.safeParse({ [section]: fields }).success,
  );
  const checked = StatedSettings.safeParse(Object.fromEntries(kept));
  return {
    ...(parsed.success && { method: findPublished(parsed.data) ?? parsed.data }),
    ...(id !== undefined && { environment: id }),
    ...(checked.success && kept.length > 0 && { settings: checked.data }),
  };
}
