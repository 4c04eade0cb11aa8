import { listCached } from "#trainer/policy/hub/findModel.ts";

const mostListed = 100;

/** Names of pretrained models that a new sweep may mean: what earlier sweeps used, and what this machine has fetched of a hub. */
export function listModels(used: readonly string[]): string[] {
  return [...new Set([...used, ...listCached()])].slice(0, mostListed);
}
