import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { expect, test } from "vitest";

/** Pages whose forms check typed input with the schemas of the plan, the tables or the nodes. */
const withSchemas = ["environments", "fleet/nodes", "publish/tables", "sweeps/new"].map(
  (path) => `app/${path}/page.tsx`,
);

const options = {
  bundle: true,
  write: false,
  metafile: true,
  format: "esm",
  outdir: "unused",
  packages: "external",
  jsx: "automatic",
  loader: { ".css": "empty" },
  logLevel: "silent",
} as const satisfies BuildOptions;

const isForBrowser = (path: string): boolean => readFileSync(path, "utf8").startsWith('"use client"');

/** Ends the server's import graph at modules that run in the browser. */
const endAtBrowser: Plugin = {
  name: "end at browser",
  setup: (plugin) =>
    plugin.onLoad({ filter: /\/app\/.*\.tsx?$/ }, ({ path }) =>
      isForBrowser(path) ? { contents: "module.exports = {};" } : null,
    ),
};

/** Pages by path, with the browser modules that each imports. */
async function findEntries(): Promise<Map<string, string[]>> {
  const pages = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|\/)(page|layout)\.tsx$/.test(name))
    .map((name) => `app/${name}`);
  const { inputs } = (await build({ ...options, entryPoints: pages, plugins: [endAtBrowser] })).metafile;
  const reach = (path: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const { path: next } of inputs[path]?.imports ?? []) reach(next, seen);
    return seen;
  };
  return new Map(
    pages.map((page) => [page, [...reach(page)].filter((path) => path.startsWith("app/") && isForBrowser(path))]),
  );
}

type Entries = ReadonlyMap<string, readonly string[]>;

/** Creates a module for each page that imports the page's browser modules. */
const asModules = (entries: Entries): Plugin => ({
  name: "pages as modules",
  setup: (plugin) => {
    plugin.onResolve({ filter: /^page:/ }, ({ path }) => ({ path, namespace: "page" }));
    plugin.onLoad({ filter: /./, namespace: "page" }, ({ path }) => {
      const own = entries.get(path.slice("page:".length)) ?? [];
      const imports = own.map((name, i) => `import * as module${i} from ${JSON.stringify(`./${name}`)};\n`);
      const contents = `${imports.join("")}export const all = [${own.map((_, i) => `module${i}`).join()}];`;
      return { contents, resolveDir: join(import.meta.dirname, "..") };
    });
  },
});

/** Modules by the page that loads them immediately. */
async function findModules(entries: Entries) {
  const pages = [...entries.keys()].map((page, i) => ({ in: `page:${page}`, out: String(i) }));
  const built = await build({ ...options, entryPoints: pages, splitting: true, plugins: [asModules(entries)] });
  const { inputs, outputs } = built.metafile;
  const importsZod = (path: string) => inputs[path]?.imports.some((one) => one.path === "zod");
  const chunksOf = (path: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(path) || outputs[path] === undefined) return seen;
    seen.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind !== "dynamic-import") chunksOf(next, seen);
    return seen;
  };
  return [...entries.keys()].map((page, i) => {
    const modules = [...chunksOf(`unused/${i}.js`)].flatMap((chunk) => Object.entries(outputs[chunk]?.inputs ?? {}));
    const kept = modules.filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    return { page, paths: kept.map(([path]) => path), hasSchemas: kept.some(([path]) => importsZod(path)) };
  });
}

const entries = await findEntries();
const modules = await findModules(entries);

test("zod, a tenth of a page's JavaScript, is loaded by pages whose forms need schemas, and by no other", () => {
  expect(entries.get("app/sweeps/[sweepId]/page.tsx")).toContain("app/sweeps/[sweepId]/SweepView.tsx");
  const withZod = modules.flatMap(({ page, hasSchemas }) => (hasSchemas ? page : []));
  expect(withZod.filter((page) => !withSchemas.includes(page))).toEqual([]);
  expect(withZod.toSorted()).toEqual(withSchemas);
});

test("a new sweep loads its checks with the first change, and a section when it is opened", () => {
  const paths = modules.find(({ page }) => page === "app/sweeps/new/page.tsx")?.paths ?? [];
  expect(paths).toContain("app/sweeps/new/_builder/Methods.tsx");
  const late = ["plan/sweep/schema.ts", "expand/expand.ts", "plan/search/", "spec/metric.ts", "_builder/Elsewhere.tsx"];
  expect(paths.filter((path) => late.some((one) => path.includes(one)))).toEqual([]);
});
