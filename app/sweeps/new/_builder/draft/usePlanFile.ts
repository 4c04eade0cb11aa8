"use client";
import { useEffect, useState } from "react";
import type * as planFile from "./planFile.ts";

export type PlanFile = typeof planFile;

/** What reads and writes sweep files: YAML is a tenth of the page's JavaScript, and most sweeps are made in the form. */
export const loadPlanFile = (): Promise<PlanFile> => import("./planFile.ts");

/** The same as soon as it is needed and there. */
export function usePlanFile(isNeeded: boolean): PlanFile | undefined {
  const [file, setFile] = useState<PlanFile>();
  useEffect(() => {
    if (isNeeded) void loadPlanFile().then(setFile);
  }, [isNeeded]);
  return file;
}
