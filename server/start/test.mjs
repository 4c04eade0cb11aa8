// `npm test`: everything `npm run check` does, then the end-to-end tests; the last line adds it all up.
import { prepareChecks } from "./prepareChecks.mjs";

await prepareChecks();
const { checkAll } = await import("./checking/checkAll.ts");
process.exit(await checkAll({ hasBrowserTests: true }));
