import type { Gpu } from "#trainer/spec/gpus.ts";

const bytesPerMebibyte = 2 ** 20;

/**
 * Metrics from samples of a run's GPUs; each sample contains every GPU once. A value missing in all samples is absent.
 * A sum over GPUs is absent too if one GPU does not report it.
 */
export function summariseSamples(samples: readonly (readonly Gpu[])[]): Record<string, number> {
  const told = (values: (gpus: readonly Gpu[]) => number | undefined): number[] =>
    samples.map(values).filter((value) => value !== undefined);
  const utilisation = told((gpus) => meanOf(toldBy(gpus, "utilisation")));
  const temperature = told((gpus) => largestOf(toldBy(gpus, "temperatureCelsius")));
  const power = told((gpus) => sumOfAll(gpus, "powerWatts"));
  const memory = told((gpus) => sumOfAll(gpus, "memoryUsedMb"));
  const values = {
    "hardware/gpuUtilisation": meanOf(utilisation),
    "hardware/gpuMemoryMb": toMegabytes(largestOf(memory)),
    "hardware/gpuTemperature": meanOf(temperature),
    "hardware/gpuPower": meanOf(power),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

type Quantity = "utilisation" | "temperatureCelsius" | "powerWatts" | "memoryUsedMb";

function toldBy(gpus: readonly Gpu[], quantity: Quantity): number[] {
  return gpus.map((gpu) => gpu[quantity]).filter((value) => value !== null);
}

function sumOfAll(gpus: readonly Gpu[], quantity: Quantity): number | undefined {
  const values = toldBy(gpus, quantity);
  return values.length === gpus.length && values.length > 0 ? values.reduce((total, x) => total + x, 0) : undefined;
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((total, x) => total + x, 0) / values.length;
}

function largestOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

function toMegabytes(mebibytes: number | undefined): number | undefined {
  return mebibytes === undefined ? undefined : (mebibytes * bytesPerMebibyte) / 1e6;
}
