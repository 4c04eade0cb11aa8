import { createServer, type RequestListener } from "node:http";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { findSympy } from "#trainer/python/testing/wheels.ts";
import { fetchPackages, fetchWheel, packagesFolder } from "./fetchPackages.ts";

const wheel = { project: "mpmath", file: "mpmath-1.3.0-py3-none-any.whl", sha256: "" };
let home = "";
let answer: RequestListener = () => undefined;
const server = createServer((request, response) => answer(request, response));
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-packages-"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true });
});

function addressOf(account = ""): string {
  const address = server.address();
  return `http://${account}127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

const json = JSON.stringify({ files: [{ filename: wheel.file, url: "../../files/a.whl" }] });
const html = `<!DOCTYPE html><a href="x.whl">x.whl</a>\n<a data-x href="../../files/a.whl#sha256=1">${wheel.file}</a>`;

it.each([
  ["application/vnd.pypi.simple.v1+json", json],
  ["text/html; charset=utf-8", html],
])("a wheel is found in an index that answers in %s, with the account that its address names", async (type, page) => {
  const accounts = new Set<string | undefined>();
  answer = ({ url, headers }, response) => {
    accounts.add(headers.authorization);
    if (url === "/simple/mpmath/") return response.setHeader("content-type", type).end(page);
    response.writeHead(url === "/files/a.whl" ? 200 : 404).end("wheel");
  };
  vi.stubEnv("PIP_INDEX_URL", `${addressOf("me:p%40ss@")}/simple/`);
  const { bytes } = await fetchWheel(wheel, home);
  expect(new TextDecoder().decode(bytes)).toBe("wheel");
  expect([...accounts]).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
});

it("what cannot be fetched is named with its address and what to do, without a password", async () => {
  const advice = `Set PIP_INDEX_URL to an index that this machine reaches, or put ${wheel.file} into ${packagesFolder(home)}`;
  vi.stubEnv("PIP_INDEX_URL", addressOf("me:secret@"));
  const page = `${addressOf()}/mpmath/`;
  const refused = (reason: string) => `Python package mpmath cannot be fetched from ${page} (${reason}). ${advice}`;
  answer = (_, response) => response.setHeader("content-type", "text/html").end("<a href=x>x</a>");
  await expect(fetchPackages(home, ["sympy"])).rejects.toMatchObject({
    code: "unavailable",
    message: refused(`there is no ${wheel.file}`),
  });
  answer = (_, response) => response.writeHead(503).end();
  await expect(fetchPackages(home, ["sympy"])).rejects.toThrow(refused("it answered 503 Service Unavailable"));
  vi.stubEnv("PIP_INDEX_URL", "http://127.0.0.1:1/simple");
  await expect(fetchPackages(home, ["sympy"])).rejects.toThrow(/127\.0\.0\.1:1\/simple\/mpmath\/ \(fetch failed: .+\)/);
});

it("a folder that takes no wheel is named with what to do", async (context) => {
  const packages = await findSympy();
  if (packages === undefined) return context.skip("a wheel is fetched from a package index (needs PyPI)");
  const bytes = await readFile(join(packages.folder, wheel.file));
  answer = ({ url }, response) => {
    if (url?.endsWith("/")) response.setHeader("content-type", "text/html").end(html);
    else response.end(bytes);
  };
  vi.stubEnv("PIP_INDEX_URL", `${addressOf()}/simple`);
  const file = join(home, "file");
  await writeFile(file, "");
  await expect(fetchPackages(file, ["sympy"])).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(
      /^Python package mpmath: mpmath-\S+ cannot be kept in .*file.python \(ENOTDIR.*\)\. Make that a folder/,
    ),
  });
});

it("a file of another content is refused and not kept", async () => {
  answer = ({ url }, response) => {
    if (url?.endsWith("/")) response.setHeader("content-type", "text/html").end(html);
    else response.end("another");
  };
  vi.stubEnv("PIP_INDEX_URL", `${addressOf()}/simple`);
  await expect(fetchPackages(home, ["sympy"])).rejects.toThrow(
    /^Python package mpmath: http:.*a\.whl#sha256=1 has the checksum ae448ac86c4e8e4dec645729708ef41873ae79c6dff84eff73360989487f08e5 instead of a0b2b9fe80bb/,
  );
  expect(await readdir(home)).toEqual([]);
});

it("a wheel that was found whole is read again once it changed", async (context) => {
  const packages = await findSympy();
  if (packages === undefined) return context.skip("wheels are fetched from a package index (needs PyPI)");
  await cp(packages.folder, packagesFolder(home), { recursive: true });
  vi.stubEnv("PIP_INDEX_URL", "http://127.0.0.1:1/simple");
  await fetchPackages(home, packages.names);
  await fetchPackages(home, packages.names);
  await writeFile(join(packagesFolder(home), wheel.file), "another");
  await expect(fetchPackages(home, packages.names)).rejects.toThrow("Python package mpmath cannot be fetched");
});
