// `npm run quick`: types and lint beside the tests of changes since origin/main, or in the last commit.
import { prepareChecks } from "./prepareChecks.mjs";

await prepareChecks();
const { checkChanges } = await import("./checking/checkChanges.ts");
process.exit(await checkChanges());
