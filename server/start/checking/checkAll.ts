import { availableParallelism } from "node:os";
import { buildApp } from "../buildApp.ts";
import { installChromium } from "../chromium.ts";
import { sourceChecks, type Step } from "./checkSource.ts";
import { runBrowserTests, runUnitTests } from "./runTests.ts";
import { runLanes } from "./runSteps.ts";
import { type Outcome, toSentence, verdict } from "./tally.ts";

/** Checks and tests, with their sum as the last line; returns the exit code. */
export async function checkAll({ hasBrowserTests }: { hasBrowserTests: boolean }): Promise<number> {
  const lanes = hasBrowserTests ? lanesWithBrowser(availableParallelism() >= 4) : [sourceChecks, [unit]];
  const total = await runLanes(lanes, process.env["CI"] !== undefined);
  console.log(toSentence(total));
  return total.failed === 0 ? 0 : 1;
}

const unit: Step = {
  name: "unit and database tests",
  perform() {
    // Runs on WebGPU are tested with the software Vulkan that Debian's browser brings.
    installChromium();
    return runUnitTests();
  },
};
const browser: Step = { name: "end-to-end tests", perform: hasChromium };

/** Unit tests keep two cores busy for as long as they take; browser tests begin with them where there are more, else after. */
function lanesWithBrowser(hasCores: boolean): Step[][] {
  return hasCores
    ? [[...sourceChecks], [unit], [build, browser]]
    : [
        [...sourceChecks, build],
        [unit, browser],
      ];
}

/** The studio of the end-to-end tests, which each of their workers would else build or wait for. */
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
