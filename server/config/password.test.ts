import { expect, test } from "vitest";
import { serveRequester } from "./requester.ts";
import { isPassword, sealPassword } from "./password.ts";

test("a sealed password is opened by itself alone, and two of the same look different", async () => {
  const [one, two] = [await sealPassword("pässword of ten"), await sealPassword("pässword of ten")];
  expect(one).not.toBe(two);
  expect(one).toMatch(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  // The password has the same characters in another Unicode composition.
  expect(await isPassword("pa\u0308ssword of ten", one)).toBe(true);
  expect(await isPassword("password of ten", one)).toBe(false);
  expect(await isPassword("", null)).toBe(false);
});

test("is scrypt as RFC 7914 has it, with the parameters that stand beside it", async () => {
  // Test vector of RFC 7914, section 12: N = 1024, r = 8, p = 16, "password", "NaCl"; its first 64 bytes.
  const key =
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640";
  const stored = [
    "scrypt",
    1024,
    8,
    16,
    Buffer.from("NaCl").toString("base64url"),
    Buffer.from(key, "hex").toString("base64url"),
  ];
  expect(await isPassword("password", stored.join("$"))).toBe(true);
});

test("a flood of tries is refused beyond a hundred in the queue, and leaves no trace", async () => {
  const cheap = `scrypt$16$1$1$AAAA$${"A".repeat(43)}`;
  const answers = await Promise.allSettled(Array.from({ length: 110 }, () => isPassword("a guess", cheap)));
  const refused = answers.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(refused).toHaveLength(9);
  expect(refused[0]).toMatch(/^AppError: too many people sign in at once: 100 wait, 10[01] of them from your address/);
  expect(await isPassword("a guess", cheap)).toBe(false);
});

test("somebody else's sign-in does not wait behind forty of one address", async () => {
  const cheap = `scrypt$16$1$1$AAAA$${"A".repeat(43)}`;
  const ended: string[] = [];
  const signIn = (address: string) =>
    serveRequester(address, () => isPassword("a guess", cheap)).then(() => ended.push(address));
  await Promise.all([...Array.from({ length: 40 }, () => signIn("203.0.113.1")), signIn("198.51.100.1")]);
  expect(ended.indexOf("198.51.100.1")).toBeLessThan(3);
});
