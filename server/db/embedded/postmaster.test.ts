import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeReserve } from "./postmaster.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "arlarena-reserve-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytes = async () => (await stat(join(folder, "reserve")).catch(() => undefined))?.size ?? 0;
const disk = (freeMb: number) => ({ freeBytes: freeMb * 1e6, totalBytes: 16e6 });

test("room is set aside while there is some, given up on a full disk, and set aside again later", async () => {
  const reserve = makeReserve(join(folder, "data"));
  expect(await reserve.look(disk(4.9)), "setting it aside would make the disk count as full").toBe(false);
  expect(await bytes()).toBe(0);
  expect(await reserve.look(disk(8))).toBe(false);
  expect(await bytes()).toBe(1e6);
  expect(await reserve.look(disk(1.9))).toBe(true);
  expect(await bytes(), "kept from a program that is still filling the disk").toBe(1e6);
  expect(await reserve.look(disk(1.9))).toBe(true);
  expect(await bytes()).toBe(0);
  expect(await reserve.look(disk(3.9)), "not at the first free byte").toBe(true);
  expect(await reserve.look(disk(6))).toBe(false);
  expect(await bytes()).toBe(1e6);
});
