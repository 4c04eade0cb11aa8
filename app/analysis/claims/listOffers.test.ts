import { expect, it } from "vitest";
import { listOffers } from "./ClaimsView.tsx";

const claim = (claimId: string, ...sweepIds: string[]) => ({ claimId, sweepIds });

it("offers the sweeps that decide most claims alike, and all where they decide more", () => {
  const answering = [claim("1", "a", "b"), claim("2", "b", "a"), claim("3", "a"), claim("4", "a", "b", "c")];
  expect(listOffers(answering)).toEqual([
    { sweepIds: ["a", "b"], numClaims: 3 },
    { sweepIds: ["a", "b", "c"], numClaims: 4 },
  ]);
  expect(listOffers([claim("1", "a")])).toEqual([{ sweepIds: ["a"], numClaims: 1 }]);
  expect(listOffers([])).toEqual([]);
});
