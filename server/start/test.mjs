// `npm test`: everything `npm run check` does, then the end-to-end tests; the last line adds it all up.
import { prepareChecks } from "./prepareChecks.mjs";

await prepareChecks();
const [{ installChromium }, steps] = await Promise.all([import("./chromium.ts"), import("./steps.mjs")]);
const hasBrowser = installChromium();
const total = await steps.runSteps([...steps.checkSteps, ...(hasBrowser ? [steps.endToEndStep] : [])]);
if (!hasBrowser) {
  console.log("✗ end-to-end tests: no Chromium here, and none could be installed; name one in ARLARENA_CHROMIUM");
  total.failed += 1;
}
console.log(steps.toSentence(total));
process.exit(total.failed === 0 ? 0 : 1);
