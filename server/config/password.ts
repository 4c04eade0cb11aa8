import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { makeTurns } from "#packages/base";
import { currentRequester } from "./requester.ts";

/** scrypt (RFC 7914) for new passwords: 32 MiB and about 0.1 s. A stored password contains its own parameters. */
const cost = { N: 32_768, r: 8, p: 1 };
const keyBytes = 32;

/** Returns the salted hash of a password for storage: `scrypt$N$r$p$salt$key`. */
export async function sealPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, { ...cost, salt, numBytes: keyBytes });
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** True if the password matches its stored hash. Without a stored hash it returns false after the same time. */
export async function isPassword(password: string, sealed: string | null): Promise<boolean> {
  const [kind, N, r, p, salt = "", key = ""] = (sealed ?? nobodys).split("$");
  const expected = Buffer.from(key, "base64url");
  if (kind !== "scrypt" || expected.length === 0) return false;
  const given = await derive(password, {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64url"),
    numBytes: expected.length,
  });
  return timingSafeEqual(given, expected) && sealed !== null;
}

/** Dummy hash that is compared for unknown user names, so that the response time does not reveal which names exist. */
const nobodys = ["scrypt", cost.N, cost.r, cost.p, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$");

/** Password hashing occupies threads that file access and DNS also need, so two hashes are computed at once. */
const hashing = makeTurns({
  atOnce: 2,
  atOncePerPerson: 1,
  maxWaiting: 100,
  describeRefusal: (numOwn) =>
    `too many people sign in at once: 100 wait, ${numOwn} of them from your address, the limit is 100: try again`,
});

type Derivation = { N: number; r: number; p: number; salt: Buffer; numBytes: number };

function derive(password: string, { salt, numBytes, ...parameters }: Derivation): Promise<Buffer> {
  // OpenSSL's scrypt needs slightly more than 128·N·r bytes.
  const maxmem = 256 * parameters.N * parameters.r;
  return hashing.take(
    new Set([currentRequester()]),
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize("NFKC"), salt, numBytes, { ...parameters, maxmem }, (error, key) => {
          if (error) reject(error);
          else resolve(key);
        });
      }),
  );
}
