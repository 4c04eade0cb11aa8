import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { NextConfig } from "next";

// Next.js edits the given tsconfig, so it gets a separate file, and the repository's tsconfig stays unchanged.
const tsconfigPath = ".next/tsconfig.json";
mkdirSync(".next", { recursive: true });
if (!existsSync(tsconfigPath)) writeFileSync(tsconfigPath, '{ "extends": "../tsconfig.json" }\n');

const securityHeaders = [
  { key: "X-Frame-Options", value: "DENY" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "same-origin" },
];

/** Policy of routes, whose responses execute nothing. Pages get their policy from proxy.ts, with a nonce. */
const routePolicy = {
  key: "Content-Security-Policy",
  value: "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** Browsers fetch a page's icons again at each change of its URL, that is, at each keystroke in a filter. */
const keptForADay = [{ key: "Cache-Control", value: "public, max-age=86400" }];

const config: NextConfig = {
  // Each version of the source has its own build folder, so that a running studio keeps its files.
  distDir: process.env["ARLARENA_BUILD_FOLDER"] ?? ".next/development",
  // Types are checked by `npm run check`.
  typescript: { tsconfigPath, ignoreBuildErrors: true },
  poweredByHeader: false,
  // The first start is faster without file tracing and build cache: the build is not deployed elsewhere, and its cache
  // would be removed when it is complete.
  outputFileTracingExcludes: { "/**": ["**/*"] },
  experimental: { turbopackSourceMaps: false, turbopackFileSystemCacheForBuild: false },
  headers: async () => [
    { source: "/:path*", headers: securityHeaders },
    { source: "/api/:path*", headers: [routePolicy] },
    { source: "/:icon(favicon.ico|icon.svg|icon-\\d+.png)", headers: keptForADay },
  ],
  serverExternalPackages: ["pg", "@prisma/client", "@prisma/adapter-pg", "onnxruntime-node"],
};

export default config;
