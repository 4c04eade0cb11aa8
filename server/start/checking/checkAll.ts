import { availableParallelism } from "node:os";
import { buildApp } from "../buildApp.ts";
import { installChromium } from "../chromium.ts";
import { checkChanges } from "./checkChanges.ts";
import { sourceChecks, type Step } from "./checkSource.ts";
import { runBrowserTests, runUnitTests } from "./runTests.ts";
import { runLanes } from "./runSteps.ts";
import { type Outcome, toSentence, verdict } from "./tally.ts";

/** Runs the checks of an npm script, with the totals as the last line; returns the exit code. */
export async function check(name: string): Promise<number> {
  const total =
    name === "quick" ? await checkChanges() : await runLanes(lanesOf(name), process.env["CI"] !== undefined);
  console.log(toSentence(total));
  return total.failed === 0 ? 0 : 1;
}

const unit: Step = {
  name: "unit and database tests",
  perform() {
    // WebGPU runs are tested with the software Vulkan of Debian's browser.
    installChromium();
    return runUnitTests();
  },
};
const browser: Step = { name: "end-to-end tests", perform: hasChromium };

/** Unit tests keep two cores busy: browser tests run beside them if there are more cores, else afterwards. */
function lanesOf(name: string): Step[][] {
  if (name === "check") return [[...sourceChecks], [unit]];
  // Tests of whole systems mostly wait for them.
  if (name === "soak") return [[unit], [build, browser]];
  return availableParallelism() >= 4
    ? [[...sourceChecks], [unit], [build, browser]]
    : [
        [...sourceChecks, build],
        [unit, browser],
      ];
}

/** Builds the studio of the end-to-end tests once; otherwise each worker would build or wait for it. */
const build: Step = {
  name: "build",
  perform: async () => {
    try {
      await buildApp(() => {}, new AbortController().signal);
      return { counts: verdict(true) };
    } catch (error) {
      return { counts: verdict(false), text: String(error) };
    }
  },
};

async function hasChromium(): Promise<Outcome> {
  if (installChromium()) return runBrowserTests();
  const text = "no Chromium here, and none could be installed; name one in ARLARENA_CHROMIUM";
  return { counts: verdict(false), text };
}
