import { type Command, Option } from "@commander-js/extra-typings";
import type { CompareOptions } from "#packages/statistics";
import { readInputFile } from "../inputFile.ts";
import { toLevel, toSeed, toWhole } from "../options.ts";
import type { Outcome, Performer, Screen } from "../command.ts";

const tests = {
  welch: "welch",
  permutation: "permutation",
  "mann-whitney": "mannWhitney",
  paired: "paired",
} as const;
const testNames = ["welch", "permutation", "mann-whitney", "paired"] as const;

export function addStats(program: Command, { perform }: Performer): void {
  program
    .command("stats")
    .summary("compare methods over seeds, from a CSV file: intervals, tests, effect sizes")
    .description(
      "Compares methods over seeds, from env,subtask,method,agg,clip,adv,filter,seed,n_eval,checkpoint_rule,value (and collapsed): intervals, tests with Holm, effect sizes, collapse rates, pooled IQM and probability of improvement. Needs no running studio.",
    )
    .argument("<FILE.csv>", "- reads standard input")
    .option("--baseline <METHOD>", "compare the others with this method (default: GRPO, else the first)")
    .option("--metric <KEY>", "choose a metric if the file has several")
    .option("--rule <RULE>", "choose a checkpoint rule if the file has several (default: final-window)")
    .addOption(
      new Option(
        "--test <TEST>",
        "test whose p values are corrected (default: welch; permutation where seeds collapsed)",
      ).choices(testNames),
    )
    .option("--level <SHARE>", "confidence level of intervals", toLevel, 0.95)
    .option("--resamples <N>", "number of bootstrap resamples", (text) => toWhole(text, 100, 999_999), 10_000)
    .option("--seed <N>", "random seed of the resamples", toSeed, 0)
    .action((file, { test, resamples, ...options }) =>
      perform((screen) =>
        printStatistics(
          file,
          { ...options, numResamples: resamples, ...(test !== undefined && { test: tests[test] }) },
          screen,
        ),
      ),
    );
}

async function printStatistics(file: string, options: CompareOptions, screen: Screen): Promise<Outcome> {
  const [{ describeMetric, isMetricKey }, { compareMethods, parseLongFormat, selectPanels }, { showComparison }] =
    await Promise.all([
      import("#trainer/spec/metric.ts"),
      import("#packages/statistics"),
      import("../views/statsView.ts"),
    ]);
  const long = parseLongFormat(await readInputFile(file));
  const { metric } = selectPanels(long.rows, options);
  const isDown = isMetricKey(metric) && describeMetric(metric).better === "down";
  const comparison = compareMethods(long, { ...options, better: isDown ? "down" : "up" });
  return { text: showComparison(comparison, screen), json: comparison, exitCode: 0 };
}
