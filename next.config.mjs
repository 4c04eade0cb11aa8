// This file is JavaScript, because an installed package has no compiler of TypeScript.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

// Path of a tsconfig for Next.js alone, which edits the file that it is given. The repository's tsconfig stays
// unchanged. An installed package has none, and its folder may be read-only.
const tsconfigPath = ".next/tsconfig.json";
if (existsSync("tsconfig.json") && !existsSync(tsconfigPath)) {
  mkdirSync(".next", { recursive: true });
  writeFileSync(tsconfigPath, '{ "extends": "../tsconfig.json" }\n');
}

const securityHeaders = [
  { key: "X-Frame-Options", value: "DENY" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "same-origin" },
];

/**
 * Content security policy of API routes, whose responses may execute nothing. Pages get their policy from proxy.ts,
 * with a nonce.
 */
const routePolicy = {
  key: "Content-Security-Policy",
  value: "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/**
 * Header that lets browsers cache icons for a day. Without it, they fetch a page's icons again at each change of its
 * URL, that is, at each keystroke in a filter.
 */
const keptForADay = [{ key: "Cache-Control", value: "public, max-age=86400" }];

/** @type {import("next").NextConfig} */
const config = {
  // Each version of the source has its own build folder, so that a new build does not replace the files of a running
  // server.
  distDir: process.env["ARLARENA_BUILD_FOLDER"] ?? ".next/development",
  // Types are checked by `npm run check`.
  typescript: { tsconfigPath, ignoreBuildErrors: true },
  poweredByHeader: false,
  // Makes the first start faster: the build is not deployed elsewhere, so files need no tracing, and the build cache
  // would be removed afterwards.
  outputFileTracingExcludes: { "/**": ["**/*"] },
  // Minifying the server's files takes a third of the build and saves only disk space, which counts in a package.
  experimental: {
    turbopackSourceMaps: false,
    turbopackFileSystemCacheForBuild: false,
    turbopackMinify: { client: true, server: process.env["ARLARENA_BUILD_FOLDER"]?.startsWith("dist/") ?? false },
  },
  headers: async () => [
    { source: "/:path*", headers: securityHeaders },
    { source: "/api/:path*", headers: [routePolicy] },
    { source: "/:icon(favicon.ico|icon.svg|icon-\\d+.png)", headers: keptForADay },
  ],
  // The database client is bundled; otherwise Next.js would import it through links, which a package cannot contain.
  transpilePackages: ["pg", "@prisma/client", "@prisma/adapter-pg"],
};

export default config;
