import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { NextConfig } from "next";

// Next writes its wishes into the tsconfig it is given, and none of them concerns the checkout: it gets one of its own.
const tsconfigPath = ".next/tsconfig.json";
mkdirSync(".next", { recursive: true });
if (!existsSync(tsconfigPath)) writeFileSync(tsconfigPath, '{ "extends": "../tsconfig.json" }\n');

const securityHeaders = [
  { key: "X-Frame-Options", value: "DENY" },
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "Referrer-Policy", value: "same-origin" },
];

/** Pages get theirs from proxy.ts, with a nonce. What a route answers is no page: nothing in it runs. */
const routePolicy = {
  key: "Content-Security-Policy",
  value: "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** Browsers ask for a page's icons again whenever its address changes, as it does with each key in a filter. */
const keptForADay = [{ key: "Cache-Control", value: "public, max-age=86400" }];

const config: NextConfig = {
  // Each version of the source is built into a folder of its own, so that a running studio keeps what it serves.
  distDir: process.env["ARLARENA_BUILD_FOLDER"] ?? ".next/development",
  // Types are checked by `npm run check`, all at once.
  typescript: { tsconfigPath, ignoreBuildErrors: true },
  poweredByHeader: false,
  // A fifth of recharts that no axis of ours needs: time, colours, decimals. See the files.
  turbopack: {
    resolveAlias: {
      "victory-vendor/d3-scale": "./app/_charts/recharts/scales.ts",
      "decimal.js-light": "./app/_charts/recharts/decimal.ts",
    },
  },
  headers: async () => [
    { source: "/:path*", headers: securityHeaders },
    { source: "/api/:path*", headers: [routePolicy] },
    { source: "/:icon(favicon.ico|icon.svg|icon-\\d+.png)", headers: keptForADay },
  ],
  serverExternalPackages: ["pg", "@prisma/client", "@prisma/adapter-pg", "onnxruntime-node"],
};

export default config;
