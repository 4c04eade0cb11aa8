import type { NextConfig } from "next";

const config: NextConfig = {
  // Several checkouts' worth of servers may run from one folder (tests beside a running studio).
  distDir: process.env["ARLARENA_BUILD_FOLDER"] ?? ".next",
  poweredByHeader: false,
  serverExternalPackages: ["pg", "@prisma/client", "@prisma/adapter-pg"],
};

export default config;
