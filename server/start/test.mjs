// `npm test`: everything in `npm run check`, then the end-to-end tests; the last line is the total.
import { prepareChecks } from "./prepareChecks.mjs";

await prepareChecks();
const { checkAll } = await import("./checking/checkAll.ts");
process.exit(await checkAll({ hasBrowserTests: true }));
