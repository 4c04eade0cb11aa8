"use client";
import { useEffect, useState } from "react";
import type * as planFile from "./planFile.ts";

export type PlanFile = typeof planFile;

/** Loads the reader and writer of sweep files: YAML is a tenth of the page's JavaScript, and most sweeps use the form. */
export const loadPlanFile = (): Promise<PlanFile> => import("./planFile.ts");

/** The same module, once it is needed and loaded. */
export function usePlanFile(isNeeded: boolean): PlanFile | undefined {
  const [file, setFile] = useState<PlanFile>();
  useEffect(() => {
    if (isNeeded) void loadPlanFile().then(setFile);
  }, [isNeeded]);
  return file;
}
