import { describe, expect, it } from "vitest";
import { makeSessionPool } from "./learner.ts";

function makeSessions() {
  const events: string[] = [];
  const pool = makeSessionPool(100);
  const use = (name: string, bytes: number) =>
    pool.at(name, bytes, async () => {
      events.push(`open ${name}`);
      return {
        name,
        close: async () => {
          events.push(`close ${name}`);
        },
      };
    });
  return { events, pool, use };
}

describe("the pool of sessions", () => {
  it("makes a session once and keeps it while there is room", async () => {
    const { events, use } = makeSessions();
    const first = await use("a", 40);
    await use("b", 60);
    expect(await use("a", 40)).toBe(first);
    expect(events).toEqual(["open a", "open b"]);
  });

  it("closes what was not used for longest when there is no more room", async () => {
    const { events, use } = makeSessions();
    await use("a", 40);
    await use("b", 40);
    await use("a", 40);
    await use("c", 50);
    expect(events).toEqual(["open a", "open b", "close b", "open c"]);
  });

  it("allows one session that is larger than all the room, and closes everything in the end", async () => {
    const { events, pool, use } = makeSessions();
    await use("a", 40);
    await use("giant", 1000);
    await pool.close();
    expect(events).toEqual(["open a", "close a", "open giant", "close giant"]);
  });
});
