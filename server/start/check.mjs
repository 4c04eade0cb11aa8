// Main program of `npm run check`, `npm test`, `npm run soak`, `npm run quick` and `npm run conformance`, which passes
// the script's name as argument. Packages and the database client must exist before types are checked and tests run.
import { installPackages, refuseOldNode } from "./install.mjs";

const [name = "check", option] = process.argv.slice(2);
if (name === "soak") process.env.ARLARENA_SOAK = "1";
refuseOldNode();
await installPackages({ withTools: true });
const { register } = await import("tsx/esm/api");
register();
const { generateClient } = await import("./generateClient.ts");
await generateClient(new AbortController().signal);
if (name === "conformance") {
  const { checkConformance, installLight } = await import("./conformance/conformance.ts");
  if (option !== "--packages") process.exit(await checkConformance(option === "--light"));
  await installLight();
  process.exit();
}
const { check } = await import("./checking/checkAll.ts");
process.exit(await check(name));
