import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { CellSpec } from "#trainer/spec/run.ts";
import { appRouter } from "./root.ts";

/**
 * Lists every text in a request that could be used as a file path. A new such text fails this test until it is listed
 * here with its protection.
 */
const settings: Readonly<Record<string, string>> = {
  "environment.agentLoop": "a name, passed as one argument",
  "environment.dataFolder": "a path below the template's taskFolder: templates/task.test.ts",
  "environment.metrics.score": "the name of a metric",
  "environment.metrics.success": "the name of a metric",
  "environment.metrics.trainingScore": "the name of a metric",
  "environment.metrics.trainingSuccess": "the name of a metric",
  "environment.parts.name": "a part of a metric's name: letters, digits, - and _",
  "environment.phases.name": "a part of a metric's name: letters, digits, - and _",
  "environment.rewardFunction": "a file below the template's taskFolder: templates/task.test.ts",
  "environment.title": "shown as text",
  "evaluation.elsewhere.environment.agentLoop": "compared with the own one",
  "evaluation.elsewhere.environment.dataFolder": "a path below the template's taskFolder: templates/task.test.ts",
  "evaluation.elsewhere.environment.metrics.score": "the name of a metric",
  "evaluation.elsewhere.environment.metrics.success": "the name of a metric",
  "evaluation.elsewhere.environment.metrics.trainingScore": "the name of a metric",
  "evaluation.elsewhere.environment.metrics.trainingSuccess": "the name of a metric",
  "evaluation.elsewhere.environment.rewardFunction": "compared with the own one",
  "evaluation.elsewhere.environment.title": "shown as text",
  "evaluation.elsewhere.name": "a part of a metric's name: letters, digits, - and _",
  "initialisation.run": "the id of a run: letters, digits, - and _",
  "policy.pretrained": "folders of the administrator's models.yaml alone: modelPaths.test.ts",
  "trainer.name": "a key of the administrator's trainers.yaml",
  "trainer.options": "values of options that the administrator's file names, as one argument of its command",
  "trainer.secrets": "names of variables, whose values the administrator's file has",
};

/** Procedure inputs with names like those of files; texts of a plan are listed above. */
const texts: Readonly<Record<string, string>> = {
  "environment.dataFolder": "of a played environment, which the playground refuses",
  "environments.dataFolder": "a plan's, as above",
  url: "a webhook's address, for administrators: on the public internet unless alerts.yaml allows it",
  "wording.references.source": "shown below a table",
  "shared.wording.references.source": "shown below a table",
};
const isNamedLikeFile = /path|file|folder|dir|home|root|model|pretrained|checkpoint|resume|source|url|uri/i;

/** Parameters in the URLs of routes. */
const parts: Readonly<Record<string, string>> = {
  "2.0/mlflow/[...path]": "the name of a call; artifacts by path: findInside of tracking/artifactFolder.ts",
  "2.0/mlflow-artifacts/artifacts/[[...path]]": "an artifact by path: checkArtifactPath and findInside",
  "[...path]": "nothing is opened",
  "reports/[reportId]": "a key of a row",
  "runs/[runId]/artifacts/[...path]": "an artifact by path: checkArtifactPath and findInside",
  "runs/[runId]/files/[name]": "one of the names of artifacts.ts",
  "shared/[token]": "43 characters, compared with hashes",
  "trpc/[trpc]": "the name of a procedure",
  "v1/[...path]": "the name of a procedure, and its input",
};

it("is known among a plan's settings", () => {
  expect(listTexts(CellSpec)).toEqual(Object.keys(settings).toSorted());
});

it("is known among the inputs of procedures", () => {
  const flat: unknown = appRouter._def.procedures;
  const Procedures = z.record(z.string(), z.custom<{ _def: { inputs: unknown[] } }>());
  const found = Object.values(Procedures.parse(flat)).flatMap(({ _def: { inputs } }) => inputs.flatMap(listTexts));
  const named = found.filter((path) => isNamedLikeFile.test(path)).toSorted();
  expect([...new Set(named)]).toEqual(Object.keys(texts).toSorted());
});

it("is known among the addresses of routes", () => {
  const files = readdirSync("app/api", { recursive: true, encoding: "utf8" });
  const routes = files.flatMap((file) => /^(.*\[.*)[\\/]route\.ts$/.exec(file)?.[1]?.replaceAll("\\", "/") ?? []);
  expect(routes.toSorted()).toEqual(Object.keys(parts).toSorted());
});

const isTree = (x: unknown): x is Readonly<Record<string, unknown>> => typeof x === "object" && x !== null;

/** Dotted paths of a schema's free texts, without enumerations. */
function listTexts(schema: unknown): string[] {
  if (!(schema instanceof z.ZodType)) throw new Error("an input that is no schema of zod");
  const found = new Set<string>();
  const walk = (part: unknown, path: string): void => {
    if (!isTree(part)) return;
    if (part["type"] === "string" && part["const"] === undefined && part["enum"] === undefined) found.add(path);
    const { properties } = part;
    for (const [name, inside] of Object.entries(isTree(properties) ? properties : {})) {
      walk(inside, path === "" ? name : `${path}.${name}`);
    }
    for (const key of ["anyOf", "oneOf", "allOf", "items", "additionalProperties"]) {
      const inside = part[key];
      for (const one of Array.isArray(inside) ? inside : [inside]) walk(one, path);
    }
  };
  walk(z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" }), "");
  return [...found].filter((path) => path !== "").toSorted();
}
