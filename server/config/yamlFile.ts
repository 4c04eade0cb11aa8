import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { z } from "zod";
import { AppError } from "#packages/base";
import { TrainersFile, type TrainerTemplate } from "#packages/trainers";
import { AlertsFile } from "#server/domain/fleet/alerts/alertsFile.ts";
import { BudgetsFile } from "#server/domain/fleet/cost/budgetsFile.ts";

/** Reads and validates a YAML configuration file; undefined if it does not exist. Errors name file and position. */
export function readYamlFile<S extends z.ZodType>(path: string, schema: S): z.output<S> | undefined {
  if (!existsSync(path)) return undefined;
  const parsed = schema.safeParse(parseText(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`);
  throw new AppError("bad_input", `${path}: ${problems.join("; ")}`);
}

function parseText(path: string): unknown {
  try {
    // `maxAliasCount` prevents nested YAML aliases from expanding without bound.
    return parse(readFileSync(path, "utf8"), { maxAliasCount: 100 });
  } catch (cause) {
    throw new AppError("bad_input", `${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export function readAlerts(home: string): AlertsFile | undefined {
  return readYamlFile(join(home, "alerts.yaml"), AlertsFile);
}

export function readBudgets(home: string): BudgetsFile | undefined {
  return readYamlFile(join(home, "budgets.yaml"), BudgetsFile);
}

/** Reads command templates. Write access to `trainers.yaml` decides which programs may be started. */
export function readTrainers(
  home: string,
  environment: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, TrainerTemplate>> {
  const named = environment["ARLARENA_TRAINERS"] || undefined;
  const file = readYamlFile(named ?? join(home, "trainers.yaml"), TrainersFile);
  if (file) return file.trainers;
  if (named !== undefined) throw new AppError("bad_input", `ARLARENA_TRAINERS names ${named}, which does not exist`);
  return {};
}
