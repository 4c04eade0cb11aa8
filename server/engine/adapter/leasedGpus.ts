import { watchHardware } from "#trainer/hardware/hardware.ts";
import type { Measurements } from "./measurements.ts";

/**
 * Adds to each new step of an attempt with leased GPUs the hardware metrics since the step before, as the built-in
 * trainer logs them. Without a lease, measurements stay as they are.
 */
export function watchLease(measurements: Measurements, devices: string | undefined): Measurements {
  if (devices === undefined || devices === "") return measurements;
  const hardware = watchHardware("cuda");
  let latest = -Infinity;
  const look = (step: number): void => {
    if (step <= latest) return;
    latest = step;
    measurements.addRead({ step, values: hardware.sinceLast() });
  };
  return {
    ...measurements,
    addRead: (read) => {
      measurements.addRead(read);
      look(read.step);
    },
    addSent: async (metrics) => {
      await measurements.addSent(metrics);
      for (const { step } of metrics) look(step);
    },
    finish: () => {
      hardware.close();
      return measurements.finish();
    },
  };
}
