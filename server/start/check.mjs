// `npm run check`: types, lint, architecture, dead code and format beside the unit and database tests.
import { prepareChecks } from "./prepareChecks.mjs";

await prepareChecks();
const { checkAll } = await import("./checking/checkAll.ts");
process.exit(await checkAll({ hasBrowserTests: false }));
