import { expect, it } from "vitest";
import { refuseForNow, respond } from "./tracking.server.ts";

it("leaves the pace of trying again to MLflow's client, which is more patient than any time that we could name", () => {
  const response = respond(refuseForNow(new Error("ENOSPC: no space left on device, write")));
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBeNull();
});
