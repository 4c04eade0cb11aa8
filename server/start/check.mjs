// Main program of `npm run check`, `npm test`, `npm run soak` and `npm run quick`, which passes the script's name as
// argument.
import { prepareChecks } from "./prepareChecks.mjs";

const [name = "check"] = process.argv.slice(2);
if (name === "soak") process.env.ARLARENA_SOAK = "1";
await prepareChecks();
const { check } = await import("./checking/checkAll.ts");
process.exit(await check(name));
