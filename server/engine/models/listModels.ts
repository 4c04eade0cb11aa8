import { listCached } from "#trainer/policy/hub/findModel.ts";

const maxListed = 100;

/** Suggested pretrained models for a new sweep: those of earlier sweeps, and those in this machine's hub cache. */
export function listModels(used: readonly string[]): string[] {
  return [...new Set([...used, ...listCached()])].slice(0, maxListed);
}
