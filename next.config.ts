import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { NextConfig } from "next";

// Next.js edits the given tsconfig. It gets its own file, so that the repository's stays unchanged.
const tsconfigPath = ".next/tsconfig.json";
mkdirSync(".next", { recursive: true });
if (!existsSync(tsconfigPath)) writeFileSync(tsconfigPath, '{ "extends": "../tsconfig.json" }\n');

const securityHeaders = [
  { key: "X-Frame-Options", value: "DENY" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "same-origin" },
];

/** Pages get their content security policy from proxy.ts, with a nonce. A route's answer is not a page: nothing in it runs. */
const routePolicy = {
  key: "Content-Security-Policy",
  value: "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** Browsers request a page's icons again whenever its URL changes, which happens with each key in a filter. */
const keptForADay = [{ key: "Cache-Control", value: "public, max-age=86400" }];

const config: NextConfig = {
  // Each version of the source has its own build folder, so that a running studio keeps its files.
  distDir: process.env["ARLARENA_BUILD_FOLDER"] ?? ".next/development",
  // Types are checked by `npm run check`.
  typescript: { tsconfigPath, ignoreBuildErrors: true },
  poweredByHeader: false,
  // For speed of the first start: nobody deploys the build elsewhere, and its cache is removed when it is complete.
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
