// `npm run check`: format, lint, types, architecture, dead code, unit and database tests.
import { prepareChecks } from "./prepareChecks.mjs";

await prepareChecks();
const { checkSteps, runSteps, toSentence } = await import("./steps.mjs");
const total = await runSteps(checkSteps);
console.log(toSentence(total));
process.exit(total.failed === 0 ? 0 : 1);
